import type { OpenSession } from "../ports/access.ts";
import type { OutsideIdentity } from "../ports/outside-providers.ts";
import { type AccessParts, newToken } from "./parts.ts";
import { takeCode } from "./second-factor.ts";

/** `other`: the identity is not theirs. A second factor is asked for by the challenge `token`. */
export type ProvenOutside =
  | { readonly state: "proven" | "other" }
  | { readonly state: "second-factor"; readonly token: string };

/** Whether somebody who is signed in is who they are: by having just signed in by an identity of theirs. */
export const proveByIdentity = async (
  parts: AccessParts,
  session: OpenSession,
  identity: OutsideIdentity,
): Promise<ProvenOutside> => {
  const { personId } = session;
  const { identities, sessions, challenges } = parts.control.access;
  const person = await identities.personOf(identity);
  if (person === null || person.id !== personId) {
    const { issuer } = identity;
    await parts.control.audit.add([{ action: "proof.failed", accountId: null, personId, after: { issuer } }]);
    return { state: "other" };
  }
  if (person.secondFactorSince !== null) {
    const token = newToken(parts);
    await challenges.create(token, person.id);
    return { state: "second-factor", token };
  }
  await sessions.proven(session.id);
  return { state: "proven" };
};

/** By a code after it. `over`: the identity has to be shown again. */
export const proveByCode = async (
  parts: AccessParts,
  session: OpenSession,
  challenge: string,
  typed: string,
): Promise<"proven" | "refused" | "over"> => {
  const { challenges, sessions } = parts.control.access;
  const personId = await challenges.try(challenge);
  if (personId === null || personId !== session.personId) return "over";
  if (!(await takeCode(parts, personId, typed, "proof.failed"))) return "refused";
  if (!(await challenges.end(challenge))) return "over";
  await sessions.proven(session.id);
  return "proven";
};
