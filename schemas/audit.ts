import { z } from "zod";
import { AuditEntryId, ListQuery, Timestamp, TimestampInput } from "./common.ts";

/** What is done, as thing and deed. */
export const AUDIT_ACTIONS = [
  "signal.created",
  "signal.updated",
  "signal.deleted",
  "source.created",
  "source.updated",
  "source.deleted",
  "rule.created",
  "rule.updated",
  "rule.deleted",
  "silence.created",
  "silence.updated",
  "silence.deleted",
  "alert.acknowledged",
  "alert_mails.stopped",
  "alert_mails.resumed",
  "webhook.created",
  "webhook.updated",
  "webhook.deleted",
  "webhook.secret_rotated",
  "webhook.previous_secret_ended",
  "api_key.created",
  "api_key.revoked",
  "oauth_client.created",
  "oauth_client.updated",
  "oauth_client.deleted",
  "oauth_client.secret_rotated",
  "oauth_grant.created",
  "oauth_grant.revoked",
  "oauth_grant.replayed",
  "account.updated",
  "member.joined",
  "member.updated",
  "member.removed",
  "invitation.created",
  "invitation.resent",
  "invitation.verified",
  "invitation.revoked",
  "access_request.approved",
  "access_request.rejected",
  "session.started",
  "session.ended",
  "sign_in.failed",
  "proof.failed",
  "password.changed",
  "password.reset_requested",
  "password.reset",
  "second_factor.enabled",
  "second_factor.disabled",
  "recovery_code.used",
  "recovery_codes.replaced",
  "email.change_requested",
  "email.changed",
  "identity.linked",
  "identity.removed",
] as const;
/** The action of this name, or all of the thing. */
export const actionsOf = (text: string): AuditAction[] =>
  AUDIT_ACTIONS.filter((action) => action === text || action.startsWith(`${text}.`));
export const AuditAction = z.enum(AUDIT_ACTIONS);
export type AuditAction = z.infer<typeof AuditAction>;

export const ActorKind = z
  .enum(["person", "key", "program", "visitor", "service"])
  .describe(
    "`program`: one that came with a token of OAuth; `visitor`: somebody who was not signed in; `service`: its configuration file, or it by itself.",
  );
export type ActorKind = z.infer<typeof ActorKind>;

const Fields = z
  .record(z.string(), z.unknown())
  .nullable()
  .describe("Of a change only the fields that it changed. Secrets are `***`; long values are cut.");

export const AuditEntry = z.strictObject({
  id: AuditEntryId,
  at: Timestamp,
  action: AuditAction,
  actor: z.strictObject({
    kind: ActorKind,
    id: z.string().nullable(),
    name: z
      .string()
      .describe(
        "E-mail address of the person, name of the key, or name of the program and whom it acted for, as it was then.",
      ),
  }),
  target: z
    .strictObject({ id: z.string(), name: z.string().describe("As it was then.") })
    .nullable()
    .describe("What it was done to."),
  from: z.strictObject({
    address: z.string().nullable(),
    userAgent: z.string().nullable(),
    requestId: z.string().nullable(),
  }),
  before: Fields,
  after: Fields,
});
export type AuditEntry = z.infer<typeof AuditEntry>;

const span = {
  from: TimestampInput.optional().describe("Not before this time."),
  to: TimestampInput.optional().describe("Before this time."),
};
const Action = z
  .string()
  .max(100)
  .refine((text) => actionsOf(text).length > 0, "must be an action, or the first word of some")
  .describe("An action, such as `rule.updated`, or all of a thing, such as `rule`.");
const About = z.string().min(1).max(200);

export const AuditFilter = z.strictObject({
  ...span,
  action: Action.optional(),
  actor: About.optional().describe("Id of the person, key or program that did it."),
  target: About.optional().describe("Id of what it was done to."),
});
export type AuditFilter = z.infer<typeof AuditFilter>;
export const AuditQuery = z.strictObject({ ...ListQuery.shape, ...AuditFilter.shape });
export const AuditAnswer = z.strictObject({
  entries: z.array(AuditEntry).describe("The newest first."),
  nextCursor: z.string().nullable(),
});
