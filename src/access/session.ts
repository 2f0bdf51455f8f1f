import type { Person } from "../ports/access.ts";
import { type AccessParts, asPerson, newToken, type Visitor, type Within } from "./parts.ts";

/** A session of the person, in the account that they have been in longest of those that they may enter. */
export const startSession = async (
  within: Within,
  parts: Pick<AccessParts, "entropy">,
  person: Pick<Person, "id" | "email">,
  hasSecondFactor: boolean,
  visitor: Visitor,
): Promise<string> => {
  const memberships = await within.access.members.of(person.id);
  const home = memberships.find(({ suspendedAt }) => suspendedAt === null) ?? null;
  const token = newToken(parts);
  const [personId, accountId] = [person.id, home?.accountId ?? null];
  const session = await within.access.sessions.create(token, {
    personId,
    accountId,
    hasSecondFactor,
    ...visitor,
  });
  const started = {
    action: "session.started",
    target: { id: session.id, name: session.userAgent },
    after: { secondFactor: hasSecondFactor },
    actor: asPerson(person),
  } as const;
  await within.audit.add([{ ...started, accountId, personId }]);
  return token;
};
