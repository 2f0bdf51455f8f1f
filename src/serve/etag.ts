import type { FastifyRequest } from "fastify";
import type { Expected } from "../ports/control-store.ts";

/** The revision of control data only, so that readings never make a resource another one. */
export const etagOf = (revision: number): string => `"${revision}"`;

/** Entity tags (RFC 9110, 8.8.3) that are ours; weak ones match nothing here, as `If-Match` compares strongly. */
const TAG = /(?:^|,)\s*"(\d{1,15})"\s*(?=,|$)/g;

/** What `If-Match` asks for; null where any revision will do. */
export const expectedOf = (request: FastifyRequest): Expected => {
  const header = request.headers["if-match"];
  if (header === undefined || header.trim() === "*") return null;
  return [...header.matchAll(TAG)].map(([, revision]) => Number(revision));
};
