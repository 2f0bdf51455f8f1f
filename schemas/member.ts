import { z } from "zod";
import { AccessRequestId, InvitationId, PersonId, Timestamp } from "./common.ts";
import { Email } from "./email.ts";
import { Role } from "./role.ts";

/** Somebody in the account. */
export const Member = z.strictObject({
  id: PersonId,
  email: z.string(),
  role: Role,
  secondFactor: z.boolean().describe("Whether signing in takes a code, too."),
  suspendedAt: Timestamp.nullable().describe(
    "Since then neither they nor what they made may do anything here.",
  ),
  joinedAt: Timestamp,
});
export type Member = z.infer<typeof Member>;

export const MembersAnswer = z.strictObject({ members: z.array(Member), nextCursor: z.string().nullable() });

export const MemberPatch = z.strictObject({
  role: Role.optional(),
  suspended: z.boolean().optional().describe("Sessions, keys and programs of the person stop within 5 s."),
});

export const InvitationState = z.enum(["approved", "invited", "verified", "active", "expired", "revoked"]);

/** Somebody who is to come in. */
export const Invitation = z.strictObject({
  id: InvitationId,
  email: z.string(),
  role: Role,
  state: InvitationState.describe(
    "`approved`: the e-mail is on its way; `invited`: a mail server took it; `verified`: the address is proved; `active`: the person is in.",
  ),
  accessRequestId: AccessRequestId.nullable(),
  createdAt: Timestamp,
  expiresAt: Timestamp,
});
export type Invitation = z.infer<typeof Invitation>;

export const InvitationCreate = z.strictObject({ email: Email, role: Role.default("viewer") });
export const InvitationsAnswer = z.strictObject({
  invitations: z.array(Invitation),
  nextCursor: z.string().nullable(),
});
