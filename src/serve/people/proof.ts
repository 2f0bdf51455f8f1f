import type { FastifyReply } from "fastify";
import { SUDO_MS } from "../../domain/access/limits.ts";
import type { OpenSession } from "../../ports/access.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Caller } from "../caller.ts";
import { ProblemError } from "../problem.ts";
import { goTo } from "./page-parts.ts";

/** By which clocks of several machines may differ. A proof from further ahead is from before a clock was set back. */
const AHEAD_MS = 60_000;

/** Whether somebody has said who they are within the last ten minutes. */
export const isProven = ({ provenAt }: Pick<OpenSession, "provenAt">, clock: Clock): boolean => {
  const ageMs = clock.now() - provenAt;
  return ageMs < SUDO_MS && ageMs >= -AHEAD_MS;
};

/**
 * Before what is dangerous: somebody who is signed in must have said who they are within the last ten minutes. A key
 * proves itself with each request.
 */
export const requireProof = ({ session }: Pick<Caller, "session">, clock: Clock): void => {
  if (session === null || isProven(session, clock)) return;
  throw new ProblemError(
    "proof_required",
    "say once more who you are: PUT /v1/me/proof with your password, or open /prove in the browser",
  );
};

/** As `requireProof`, on a page: whoever says there who they are comes back to `next`. */
export const proveFirst = (reply: FastifyReply, next: string) =>
  goTo(reply, `/prove?next=${encodeURIComponent(next)}`);
