import type { FastifyRequest } from "fastify";
import { USER_AGENT_MAX } from "../domain/access/limits.ts";
import type { Actor, Doer, Origin } from "../ports/audit.ts";

const VISITOR: Actor = { kind: "visitor", id: null, name: "" };

const ACTORS = { key: "key", session: "person", token: "program" } as const;

/** Where a request comes from, for the audit log. */
export const originOf = ({ ip, headers, id }: FastifyRequest): Origin => ({
  address: ip,
  userAgent: headers["user-agent"]?.slice(0, USER_AGENT_MAX) ?? null,
  requestId: id,
});

/** Whoever a request comes from, for the audit log. */
export const doerOf = (request: FastifyRequest): Doer => {
  const { caller } = request;
  const origin = originOf(request);
  if (caller === null) return { actor: VISITOR, origin };
  return { actor: { kind: ACTORS[caller.kind], id: caller.by, name: caller.name }, origin };
};
