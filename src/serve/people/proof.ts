import { SUDO_MS } from "../../domain/access/limits.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Caller } from "../caller.ts";
import { ProblemError } from "../problem.ts";

/**
 * Before what is dangerous: somebody who is signed in must have said who they are within the last ten minutes. A key
 * proves itself with each request.
 */
export const requireProof = ({ session }: Caller, clock: Clock): void => {
  if (session === null || clock.now() < session.provenAt + SUDO_MS) return;
  throw new ProblemError("proof_required", "say once more who you are: PUT /v1/me/proof with your password");
};
