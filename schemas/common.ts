import { z } from "zod";
import { STRENGTH_MAX_DBM, STRENGTH_MIN_DBM } from "./strength-range.ts";

/** Crockford base 32, 26 characters: 48 bits of milliseconds, then 80 bits. See https://github.com/ulid/spec. */
const ULID = "[0-7][0-9A-HJKMNP-TV-Z]{25}";

const id = <const P extends string>(prefix: P) =>
  z
    .string()
    .regex(new RegExp(`^${prefix}_${ULID}$`), `must be an id like ${prefix}_01JDA2V3Q8R5T7W9Y1B3D5F7H9`)
    .brand<P>();

export const SignalId = id("sig");
export const SourceId = id("src");
export const RuleId = id("rul");
export const AlertId = id("alr");
export const EventId = id("evt");
export const AccountId = id("acc");
export const ApiKeyId = id("key");
export const WebhookId = id("whk");
export const DeliveryId = id("dlv");
export const GroupId = id("grp");
export const SilenceId = id("sil");
export const MailId = id("eml");
export const PersonId = id("usr");
export const SessionId = id("ses");
export const InvitationId = id("inv");
export const AccessRequestId = id("acr");
export const AuditEntryId = id("aud");
export const IdentityId = id("idn");
export const OAuthClientId = id("ocl");
export const OAuthGrantId = id("ogr");

export type SignalId = z.infer<typeof SignalId>;
export type SourceId = z.infer<typeof SourceId>;
export type RuleId = z.infer<typeof RuleId>;
export type AlertId = z.infer<typeof AlertId>;
export type EventId = z.infer<typeof EventId>;
export type AccountId = z.infer<typeof AccountId>;
export type ApiKeyId = z.infer<typeof ApiKeyId>;
export type WebhookId = z.infer<typeof WebhookId>;
export type DeliveryId = z.infer<typeof DeliveryId>;
export type GroupId = z.infer<typeof GroupId>;
export type SilenceId = z.infer<typeof SilenceId>;
export type MailId = z.infer<typeof MailId>;
export type PersonId = z.infer<typeof PersonId>;
export type SessionId = z.infer<typeof SessionId>;
export type InvitationId = z.infer<typeof InvitationId>;
export type AccessRequestId = z.infer<typeof AccessRequestId>;
export type AuditEntryId = z.infer<typeof AuditEntryId>;
export type IdentityId = z.infer<typeof IdentityId>;
export type OAuthClientId = z.infer<typeof OAuthClientId>;
export type OAuthGrantId = z.infer<typeof OAuthGrantId>;

/** RFC 3339 in UTC with milliseconds, as every answer writes it. */
export const Timestamp = z.iso.datetime({ precision: 3 });
/** RFC 3339 with any offset and precision, as a request may write it. */
export const TimestampInput = z.iso.datetime({ offset: true });

export { STRENGTH_MAX_DBM, STRENGTH_MIN_DBM };
export const StrengthDbm = z.number().min(STRENGTH_MIN_DBM).max(STRENGTH_MAX_DBM);
/** A share from 0 to 1 of the span between a signal's floor and its ceiling. */
export const Quality = z.number().min(0).max(1);

export const LabelKey = z.string().regex(/^[A-Za-z_][A-Za-z0-9_.-]{0,62}$/);
/** Labels: at most 32, `key` as in Prometheus' label names, values up to 200 characters. */
export const Labels = z
  .record(LabelKey, z.string().max(200))
  .refine((labels) => Object.keys(labels).length <= 32, "at most 32 labels");
export type Labels = z.infer<typeof Labels>;

export const LIST_LIMIT_MAX = 500;
export const LIST_LIMIT_DEFAULT = 50;
export const ListQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(LIST_LIMIT_MAX).default(LIST_LIMIT_DEFAULT),
  cursor: z.string().min(1).max(2000).optional(),
});
export type ListQuery = z.infer<typeof ListQuery>;

/** A query parameter that may stand once or several times; always a list. */
export const repeatable = <T extends z.ZodType>(item: T) =>
  z.union([item.transform((one) => [one]), z.array(item).max(100)]);
