import type { AuditAction } from "../../schemas/audit.ts";
import { type AccountId, InvitationId } from "../../schemas/common.ts";
import type { Email } from "../../schemas/email.ts";
import type { Role } from "../../schemas/role.ts";
import { invitationState } from "../domain/access/invitation.ts";
import { INVITATION_MS, LINK_LIMITS, SET_PASSWORD_MS } from "../domain/access/limits.ts";
import type { AccessRequest, Invitation, Person } from "../ports/access.ts";
import { invitationMail } from "./mails.ts";
import { type AccessParts, newToken, type Within } from "./parts.ts";

/** Sends the link, in place of the one before. */
const send = async (within: Within, parts: AccessParts, { id, email, role }: Invitation): Promise<void> => {
  const token = newToken(parts);
  const expiresAt = parts.clock.now() + INVITATION_MS;
  await within.access.links.add(token, { purpose: "invitation", subject: id, content: null, expiresAt });
  const mail = invitationMail(`${parts.publicUrl}/invitations/${token}`, role);
  const mailId = await within.mails.add({ ...mail, to: email, expiresAt });
  await within.access.invitations.mailed(id, mailId, expiresAt);
};

const limitsOf = (email: Email) => LINK_LIMITS.map((limit) => ({ name: `invitation to ${email}`, limit }));

const noteOf = (
  action: Extract<AuditAction, `invitation.${string}`>,
  { accountId, id, email, role }: Invitation,
) => ({ action, accountId, target: { id, name: email }, after: { role } });

/** Whether somebody with this address is in the account. */
export const isMember = async ({ access }: Within, accountId: AccountId, email: Email): Promise<boolean> => {
  const person = await access.people.byEmail(email);
  return person !== null && (await access.members.get(accountId, person.id)) !== null;
};

/** As part of the transaction `within`. */
export const invite = async (
  within: Within,
  parts: AccessParts,
  invited: { readonly accountId: AccountId; readonly email: Email; readonly role: Role },
  request: AccessRequest | null = null,
): Promise<Invitation> => {
  const made = await within.access.invitations.create({ ...invited, accessRequestId: request?.id ?? null });
  await within.audit.add([noteOf("invitation.created", made)]);
  await send(within, parts, made);
  return (await within.access.invitations.get(made.id)) ?? made;
};

/** Once more, with a new link. `waitMs`: too many were sent to the address just now. */
export const resend = async (
  parts: AccessParts,
  accountId: AccountId,
  id: InvitationId,
): Promise<Invitation | { readonly waitMs: number } | { readonly refused: "not_found" | "conflict" }> => {
  const { control, clock } = parts;
  const found = await control.access.invitations.get(id);
  if (found === null || found.accountId !== accountId) return { refused: "not_found" };
  const state = invitationState(found, clock.now());
  if (state === "active" || state === "revoked") return { refused: "conflict" };
  const waitMs = await control.access.attempts.count(limitsOf(found.email));
  if (waitMs !== null) return { waitMs };
  return control.transaction(async (within) => {
    await within.audit.add([noteOf("invitation.resent", found)]);
    await send(within, parts, found);
    return (await within.access.invitations.get(id)) ?? found;
  });
};

/** Its link works no more. False: it was accepted or revoked before. */
export const revokeInvitation = ({ control }: AccessParts, invitation: Invitation): Promise<boolean> =>
  control.transaction(async ({ access, audit }) => {
    if (!(await access.invitations.revoke(invitation.id))) return false;
    await audit.add([noteOf("invitation.revoked", invitation)]);
    return true;
  });

/** Without using the link: programs that read e-mails follow links, too. */
export const lookAtInvitation = async (
  { control: { access } }: AccessParts,
  token: string,
): Promise<Invitation | null> => {
  const link = await access.links.look(token, "invitation");
  return link === null ? null : access.invitations.get(InvitationId.parse(link.subject));
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
