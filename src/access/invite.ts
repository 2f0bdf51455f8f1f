import type { AuditAction } from "../../schemas/audit.ts";
import { type AccountId, InvitationId, type PersonId } from "../../schemas/common.ts";
import type { Email } from "../../schemas/email.ts";
import type { Role } from "../../schemas/role.ts";
import { invitationState } from "../domain/access/invitation.ts";
import { INVITATION_MS, SET_PASSWORD_MS } from "../domain/access/limits.ts";
import type { AccessRequest, ChangedMember, Invitation, Person } from "../ports/access.ts";
import type { Changed, Changing, Expected } from "../ports/control-store.ts";
import { countLink } from "./link-limits.ts";
import { invitationMail } from "./mails.ts";
import { type AccessParts, newToken, type Within } from "./parts.ts";

/** Sends the link, in place of the one before and of what that led to. */
const send = async (within: Within, parts: AccessParts, { id, email, role }: Invitation): Promise<void> => {
  const token = newToken(parts);
  const expiresAt = parts.clock.now() + INVITATION_MS;
  const { links, invitations } = within.access;
  await links.drop(id, "set-password");
  await links.add(token, { purpose: "invitation", subject: id, content: null, expiresAt });
  const mail = invitationMail(`${parts.publicUrl}/invitations/${token}`, role);
  const mailId = await within.mails.add({ ...mail, to: email, expiresAt });
  await invitations.mailed(id, mailId, expiresAt);
};

/** Whatever is sent to the address counts, the first as well. How long until one more may be; null: now. */
const countInvitation = (within: Within, email: Email) => countLink(within, `invitation to ${email}`);

const noteOf = (
  action: Extract<AuditAction, `invitation.${string}`>,
  { accountId, id, email, role }: Invitation,
) => ({ action, accountId, target: { id, name: email }, after: { role } });

/** Whether it was accepted or revoked. */
const isOver = (invitation: Invitation, now: number): boolean =>
  ["active", "revoked"].includes(invitationState(invitation, now));

/** Whether somebody with this address is in the account. */
export const isMember = async ({ access }: Within, accountId: AccountId, email: Email): Promise<boolean> => {
  const person = await access.people.byEmail(email);
  return person !== null && (await access.members.get(accountId, person.id)) !== null;
};

/** Too many were sent to the address just now. */
export interface TooSoon {
  readonly waitMs: number;
}

/** As part of the transaction `within`. One that is open goes on, with the role and a new link: it was sent once more. */
export const invite = async (
  within: Within,
  parts: AccessParts,
  invited: { readonly accountId: AccountId; readonly email: Email; readonly role: Role },
  request: AccessRequest | null = null,
): Promise<{ readonly invitation: Invitation; readonly isNew: boolean } | TooSoon> => {
  const waitMs = await countInvitation(within, invited.email);
  if (waitMs !== null) return { waitMs };
  const { invitations } = within.access;
  const { isNew, ...made } = await invitations.create({ ...invited, accessRequestId: request?.id ?? null });
  await within.audit.add([noteOf(isNew ? "invitation.created" : "invitation.resent", made)]);
  await send(within, parts, made);
  return { invitation: (await invitations.get(made.id)) ?? made, isNew };
};

/** Once more, with a new link. */
export const resend = (
  parts: AccessParts,
  accountId: AccountId,
  id: InvitationId,
): Promise<Invitation | TooSoon | { readonly refused: "not_found" | "conflict" }> =>
  parts.control.transaction(async (within) => {
    const { invitations } = within.access;
    const found = await invitations.get(id);
    if (found === null || found.accountId !== accountId) return { refused: "not_found" };
    if (isOver(found, parts.clock.now())) return { refused: "conflict" };
    const waitMs = await countInvitation(within, found.email);
    if (waitMs !== null) return { waitMs };
    const open = await invitations.hold(id);
    if (open === null) return { refused: "conflict" };
    await within.audit.add([noteOf("invitation.resent", open)]);
    await send(within, parts, open);
    return (await invitations.get(id)) ?? open;
  });

/** Its link works no more. False: it was accepted or revoked before. */
export const revokeInvitation = ({ control }: AccessParts, invitation: Invitation): Promise<boolean> =>
  control.transaction(async ({ access, audit }) => {
    if (!(await access.invitations.revoke(invitation.id))) return false;
    await audit.add([noteOf("invitation.revoked", invitation)]);
    return true;
  });

/** Takes somebody out of the account, and back what would let them in again: an invitation that is open. */
export const removeMember = (
  control: Pick<Changing, "transaction">,
  accountId: AccountId,
  personId: PersonId,
  expected: Expected,
): Promise<Changed<ChangedMember>> =>
  control.transaction(async ({ access, audit }) => {
    const removed = await access.members.remove(accountId, personId, expected);
    if (!removed.ok) return removed;
    const revoked = await access.invitations.revokeOf(accountId, removed.value.before.email);
    await audit.add(revoked.map((invitation) => noteOf("invitation.revoked", invitation)));
    return removed;
  });

/** Without using the link: programs that read e-mails follow links, too. Null: it works no more. */
export const lookAtInvitation = async (
  { control: { access }, clock }: Pick<AccessParts, "control" | "clock">,
  token: string,
  purpose: "invitation" | "set-password",
): Promise<Invitation | null> => {
  const link = await access.links.look(token, purpose);
  const found = link === null ? null : await access.invitations.get(InvitationId.parse(link.subject));
  return found === null || isOver(found, clock.now()) ? null : found;
};

/** Whether somebody can sign in as they are. */
const hasWayIn = async ({ access }: Pick<Within, "access">, { id, password }: Person): Promise<boolean> =>
  password !== null || (await access.identities.of(id)).length > 0;

/** What comes after the proof of an address: a password, or the sign-in of somebody who has one. */
export type Verified =
  | { readonly next: "set-password"; readonly token: string }
  | { readonly next: "sign-in" };

/** The link was followed, and its page sent: whoever did it reads this e-mail address. Null: it works no more. */
export const verifyInvitation = (parts: AccessParts, token: string): Promise<Verified | null> =>
  parts.control.transaction(async (within) => {
    const { access, audit } = within;
    const link = await access.links.use(token, "invitation");
    if (link === null) return null;
    const id = InvitationId.parse(link.subject);
    const invitation = await access.invitations.get(id);
    if (invitation === null || !(await access.invitations.verified(id))) return null;
    await audit.add([noteOf("invitation.verified", invitation)]);
    const person = await access.people.byEmail(invitation.email);
    if (person !== null && (await hasWayIn(within, person))) {
      // Who has proved the address needs no second proof to be in one more account; signing in stays as it is.
      await access.members.add(invitation.accountId, person.id, invitation.role);
      await access.invitations.accepted(id);
      return { next: "sign-in" };
    }
    const next = newToken(parts);
    const expiresAt = parts.clock.now() + SET_PASSWORD_MS;
    await access.links.add(next, { purpose: "set-password", subject: id, content: null, expiresAt });
    return { next: "set-password", token: next };
  });

export interface Accepted {
  readonly person: Person;
  /** Nobody had the address before. */
  readonly isNew: boolean;
}

/**
 * Lets somebody in by the link behind the proof of their address. `first` gives a person the way to sign in that they chose;
 * who has one already keeps it as it is. Null: the link works no more.
 */
export const accept = async (
  within: Within,
  token: string,
  first: (email: Email, known: Person | null) => Promise<Person | null>,
): Promise<Accepted | null> => {
  const { access } = within;
  const link = await access.links.use(token, "set-password");
  if (link === null) return null;
  const id = InvitationId.parse(link.subject);
  const invitation = await access.invitations.get(id);
  if (invitation === null || !(await access.invitations.accepted(id))) return null;
  const known = await access.people.byEmail(invitation.email);
  const isIn = known !== null && (await hasWayIn(within, known));
  const person = isIn ? known : await first(invitation.email, known);
  if (person === null) return null;
  await access.members.add(invitation.accountId, person.id, invitation.role);
  return { person, isNew: known === null };
};

/** By a password: `hash` of it. As `accept`. */
export const acceptInvitation = (parts: AccessParts, token: string, hash: string): Promise<Accepted | null> =>
  parts.control.transaction((within) =>
    accept(within, token, async (email, known) => {
      const { people } = within.access;
      if (known === null) return people.create(email, hash);
      await people.setPassword(known.id, hash);
      return known;
    }),
  );
