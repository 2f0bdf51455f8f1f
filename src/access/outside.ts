import type { IdentityId, PersonId } from "../../schemas/common.ts";
import { IDENTITIES_MAX } from "../domain/access/limits.ts";
import type { Person } from "../ports/access.ts";
import type { OutsideIdentity } from "../ports/outside-providers.ts";
import { type Accepted, accept } from "./invite.ts";
import { linkedMail, unlinkedMail } from "./mails.ts";
import { sendNotice } from "./notice.ts";
import { type AccessParts, asPerson, type Visitor, type Within } from "./parts.ts";
import { failuresFrom, failuresOfPerson } from "./proof.ts";
import { afterFirstFactor, type SignIn } from "./sign-in.ts";

const isSame = (one: OutsideIdentity, other: OutsideIdentity): boolean =>
  one.issuer === other.issuer && one.subject === other.subject;

/** What people call a provider: one that is offered no more has no other name than its address. */
export const providerName = ({ outside }: Pick<AccessParts, "outside">, issuer: string): string | null =>
  outside.all.find((one) => new URL(one.issuer).href === URL.parse(issuer)?.href)?.name ?? null;

/** In the person's own log, and by e-mail. */
const tell = async (
  within: Within,
  parts: AccessParts,
  person: Person,
  { issuer, subject }: OutsideIdentity,
  isLinked: boolean,
): Promise<void> => {
  const { id: personId, email } = person;
  const name = providerName(parts, issuer) ?? issuer;
  const what = isLinked
    ? ({ action: "identity.linked", after: { issuer, subject } } as const)
    : ({ action: "identity.removed", before: { issuer, subject } } as const);
  await within.audit.add([{ ...what, accountId: null, personId, actor: asPerson(person) }]);
  const [linkUrl, resetUrl] = [`${parts.publicUrl}/link`, `${parts.publicUrl}/forgot-password`];
  const mail = isLinked ? linkedMail(name, linkUrl, resetUrl) : unlinkedMail(name, resetUrl);
  await sendNotice(within, parts, email, mail);
};

/**
 * By an identity that somebody has linked. `unknown`: nobody has, whatever e-mail address the provider knows. A lock
 * holds here, too, and a second factor is asked for.
 */
export const signInByIdentity = async (
  parts: AccessParts,
  identity: OutsideIdentity,
  visitor: Visitor & { readonly network: string },
): Promise<SignIn | { readonly state: "unknown" }> => {
  const { identities, attempts } = parts.control.access;
  const person = await identities.personOf(identity);
  if (person === null) return { state: "unknown" };
  const failures = [...failuresOfPerson(person.email), ...failuresFrom(visitor.network)];
  if ((await attempts.count(failures)) !== null) return { state: "refused" };
  await attempts.uncount(failures);
  return afterFirstFactor(parts, person, visitor);
};

/** The identity is somebody else's. Thrown to undo what was begun. */
class TakenError extends Error {}

/** By an invitation, instead of with a password. `over`: its link works no more. `taken`: the identity is somebody's. */
export const acceptByIdentity = async (
  parts: AccessParts,
  token: string,
  identity: OutsideIdentity,
): Promise<Accepted | "over" | "taken"> => {
  const accepting = parts.control.transaction((within) =>
    accept(within, token, async (email, known) => {
      const { people, identities } = within.access;
      const person = known ?? (await people.create(email, null));
      if (person === null) return null;
      if (!(await identities.add(person.id, identity))) throw new TakenError();
      await tell(within, parts, person, identity, true);
      return person;
    }),
  );
  return accepting.then(
    (accepted) => accepted ?? "over",
    (error: unknown) => {
      if (error instanceof TakenError) return "taken";
      throw error;
    },
  );
};

/** `known`: it was theirs before. `taken`: it is somebody else's. `full`: they have as many as anybody may. */
export type Linked = "linked" | "known" | "taken" | "full";

/** From now on the person may sign in by it. To be done for who is signed in, and has proved who they are. */
export const linkIdentity = (
  parts: AccessParts,
  personId: PersonId,
  identity: OutsideIdentity,
): Promise<Linked> =>
  parts.control.transaction(async (within) => {
    const { people, identities } = within.access;
    await people.hold(personId);
    const person = await people.get(personId);
    const theirs = await identities.of(personId);
    if (theirs.some((one) => isSame(one, identity))) return "known";
    if (theirs.length >= IDENTITIES_MAX) return "full";
    if (person === null || !(await identities.add(personId, identity))) return "taken";
    await tell(within, parts, person, identity, true);
    return "linked";
  });

/** `last`: without it the person could not sign in. */
export const removeIdentity = (
  parts: AccessParts,
  personId: PersonId,
  id: IdentityId,
): Promise<"removed" | "not_found" | "last"> =>
  parts.control.transaction(async (within) => {
    const { people, identities } = within.access;
    // One after the other: of two that are removed at the same time, one may be the last.
    await people.hold(personId);
    const person = await people.get(personId);
    const theirs = await identities.of(personId);
    const found = theirs.find((one) => one.id === id);
    if (person === null || found === undefined) return "not_found";
    if (person.password === null && theirs.length === 1) return "last";
    await identities.remove(personId, found);
    await tell(within, parts, person, found, false);
    return "removed";
  });
