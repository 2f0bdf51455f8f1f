import type { FastifyReply, FastifyRequest } from "fastify";
import type { FirstFactorShown } from "../../access/sign-in.ts";
import { goTo, type PageParts, sessionOf } from "./page-parts.ts";

/** Whoever has shown a first factor is let in, or asked for a code; the session that the browser brought ends. */
export const admit = async (
  parts: PageParts,
  request: FastifyRequest,
  reply: FastifyReply,
  { state, token }: Pick<FirstFactorShown, "state" | "token">,
  next: string,
) => {
  const { by, cookies } = parts;
  const before = await sessionOf(parts, request);
  if (before !== null) await by(request).control.access.sessions.end(before.personId, before.id);
  if (state === "second-factor") {
    cookies.clear(reply, "session");
    cookies.set(reply, "challenge", token);
    return goTo(reply, `/sign-in/code?next=${encodeURIComponent(next)}`);
  }
  cookies.set(reply, "session", token);
  return goTo(reply, next);
};
