import type { PersonId } from "../../schemas/common.ts";
import { type AccessParts, newToken, type Visitor, type Within } from "./parts.ts";

/** A session of the person, in the account that they have been in longest of those that they may enter. */
export const startSession = async (
  within: Within,
  parts: Pick<AccessParts, "entropy">,
  personId: PersonId,
  hasSecondFactor: boolean,
  visitor: Visitor,
): Promise<string> => {
  const memberships = await within.access.members.of(personId);
  const home = memberships.find(({ suspendedAt }) => suspendedAt === null) ?? null;
  const token = newToken(parts);
  const session = { personId, accountId: home?.accountId ?? null, hasSecondFactor, ...visitor };
  await within.access.sessions.create(token, session);
  return token;
};
