import type { FastifyRequest } from "fastify";
import { isLoopback } from "../../domain/loopback.ts";
import { ProblemError } from "../problem.ts";

/** On this machine people use one name or another: then the page must have come from the very name that is asked. */
const isOwnLoopback = (origin: string, { host }: FastifyRequest): boolean => {
  const url = URL.parse(origin);
  return url !== null && isLoopback(url.hostname) && url.host === host;
};

/**
 * Whether a request was made by a page of ours, as browsers say and pages cannot forge (Fetch Metadata, and the header
 * Origin): what a cookie does must not be done for a page of somebody else. A browser that says neither is not believed.
 */
export const isFromOurPage = (request: FastifyRequest, publicUrl: string): boolean => {
  const { origin, "sec-fetch-site": site } = request.headers;
  if (site !== undefined && site !== "same-origin") return false;
  if (origin === undefined) return site !== undefined;
  const ours = new URL(publicUrl);
  return origin === ours.origin || (isLoopback(ours.hostname) && isOwnLoopback(origin, request));
};

export const requireOurPage = (request: FastifyRequest, publicUrl: string): void => {
  if (isFromOurPage(request, publicUrl)) return;
  throw new ProblemError(
    "forbidden",
    `a request that comes with a session must come from a page of ${new URL(publicUrl).origin}`,
  );
};
