import { z } from "zod";
import { AccessRequestId, InvitationId, ListQuery, Timestamp } from "./common.ts";
import { Email } from "./email.ts";
import { Role } from "./role.ts";

/** What somebody wants to use the service for. */
export const UseCase = z.string().trim().min(20).max(2_000);

export const AccessRequestCreate = z.strictObject({ email: Email, useCase: UseCase });
export type AccessRequestCreate = z.infer<typeof AccessRequestCreate>;

export const AccessRequestState = z.enum(["pending", "approved", "rejected"]);

/** A request as its reviewers see it. */
export const AccessRequest = z.strictObject({
  id: AccessRequestId,
  email: z.string(),
  useCase: z.string(),
  state: AccessRequestState,
  note: z.string().nullable(),
  createdAt: Timestamp,
  dueAt: Timestamp.describe("By when an answer is promised: 24 hours after it came."),
  overdue: z.boolean(),
  decidedAt: Timestamp.nullable(),
});
export type AccessRequest = z.infer<typeof AccessRequest>;

export const AccessRequestList = ListQuery.extend({ state: AccessRequestState.optional() });
export const AccessRequestsAnswer = z.strictObject({
  accessRequests: z.array(AccessRequest),
  nextCursor: z.string().nullable(),
});

const Note = z.string().trim().max(2_000);
export const AccessRequestApprove = z.strictObject({
  role: Role.default("viewer"),
  note: Note.nullable().default(null).describe("For the reviewers: it is not told to whoever asked."),
});
export const AccessRequestReject = z.strictObject({
  note: Note.nullable().default(null).describe("Told to whoever asked."),
});

/** What became of an approval: who was invited. */
export const AccessRequestApproved = z.strictObject({
  accessRequest: AccessRequest,
  invitationId: InvitationId,
});
/** The same for everybody, whoever they are. */
export const AccessRequestTaken = z.strictObject({ status: z.literal("received") });
