import { z } from "zod";
import {
  DeliveryId,
  EventId,
  Labels,
  ListQuery,
  repeatable,
  SignalId,
  Timestamp,
  TimestampInput,
  WebhookId,
} from "./common.ts";
import { Severity } from "./condition.ts";
import { API_VERSION, EventKind } from "./event.ts";

/** `https:`; whether `http:` and private addresses are allowed is for the installation to say (`WEBHOOK_ALLOW_PRIVATE`). */
export const WebhookUrl = z
  .string()
  .max(2000)
  .superRefine((text, context) => {
    const problem = (message: string) => context.addIssue({ code: "custom", message });
    if (!URL.canParse(text)) return problem("is no URL");
    const url = new URL(text);
    if (!/^https?:$/.test(url.protocol)) problem("must be an https:// address");
    // A parser leaves line breaks out, and mends slashes: what is shown would not be what is called.
    else if (/[\s\p{Cc}\\]/u.test(text)) problem("must not hold spaces, line breaks or backslashes");
    else if (!/^https?:\/\/[^/]/i.test(text)) problem("must begin with https:// and a host");
    if (url.username + url.password !== "")
      problem("must not hold a name or password: deliveries are signed instead");
    if (url.hash !== "") problem("must not have a fragment: it is never sent");
  })
  .meta({
    description: "Where events are sent by POST: an https address, not on a private network.",
    format: "uri",
  });

const Events = z
  .array(EventKind)
  .min(1, "names no event")
  .refine((events) => new Set(events).size === events.length, "names an event twice");

/** Which events of the kinds named are sent: all that is given must fit. Who heard that an alert fires hears its end. */
export const WebhookFilter = z.strictObject({
  signalIds: z.array(SignalId).min(1).max(1000).optional(),
  labels: Labels.optional(),
  severities: z
    .array(Severity)
    .min(1)
    .max(3)
    .optional()
    .describe(
      "Of alerts; other events have none and fit. An alert that was sent at one of these is sent when it steps down too, and at its end.",
    ),
});
export type WebhookFilter = z.infer<typeof WebhookFilter>;

/** After Alertmanager's `group_wait` and `group_interval`. */
export const WebhookGroups = z.strictObject({
  waitSeconds: z
    .number()
    .min(1)
    .max(600)
    .default(10)
    .describe("How long a first failure waits for others of its source."),
  intervalSeconds: z
    .number()
    .min(1)
    .max(86_400)
    .default(300)
    .describe("While a source is degraded, one notification at most in so long tells what is new."),
  minSignals: z
    .number()
    .int()
    .min(1)
    .max(100)
    .default(2)
    .describe("Fewer signals that fail within the wait are sent one by one, as they are."),
});
export type WebhookGroups = z.infer<typeof WebhookGroups>;

const settings = {
  url: WebhookUrl,
  events: Events.describe("Kinds of events; `*` is not allowed."),
  name: z.string().trim().min(1).max(200).nullable(),
  enabled: z.boolean(),
  filter: WebhookFilter,
  signing: z.boolean().describe("Whether requests are signed."),
  ratePerSecond: z
    .number()
    .min(0.1)
    .max(10_000)
    .nullable()
    .describe("At most so many attempts a second; null: no limit."),
  groups: WebhookGroups.nullable().describe(
    "Failures of one source's signals come together as `source.degraded`, their recoveries as `source.recovered`; null: each comes by itself.",
  ),
  apiVersion: z.literal(API_VERSION),
};

/** What its owner says of a webhook. */
export const WebhookSettings = z.strictObject(settings);
export type WebhookSettings = z.infer<typeof WebhookSettings>;

export const WebhookCreate = z.strictObject({
  url: settings.url,
  events: settings.events,
  name: settings.name.default(null),
  enabled: settings.enabled.default(true),
  filter: settings.filter.default({}),
  signing: settings.signing.default(true),
  ratePerSecond: settings.ratePerSecond.default(null),
  groups: settings.groups.default(null),
  apiVersion: settings.apiVersion.default(API_VERSION),
});
export type WebhookCreate = z.infer<typeof WebhookCreate>;

/** As a configuration file has it: found again by its name, and its secret is never in the file. */
export const DeclaredWebhook = WebhookCreate.extend({
  name: z.string({ error: "is needed: a webhook is found again by its name" }).trim().min(1).max(200),
});
export type DeclaredWebhook = z.infer<typeof DeclaredWebhook>;

export const WebhookPatch = WebhookSettings.partial().refine(
  (patch) => Object.keys(patch).length > 0,
  "names no field to change",
);
export type WebhookPatch = z.infer<typeof WebhookPatch>;

export const CircuitState = z.enum(["closed", "open", "half-open"]);

export const Webhook = z.strictObject({
  id: WebhookId,
  ...settings,
  /** As it was saved, be it by the rules of then. */
  url: z.string().meta({ description: "Where events are sent by POST.", format: "uri" }),
  status: z.enum(["enabled", "disabled"]),
  statusReason: z
    .string()
    .nullable()
    .describe("Why the service disabled it; null when its owner did, or it is enabled."),
  health: z.strictObject({
    circuit: CircuitState.describe(
      "`open`: the endpoint failed many times in a row, and is left alone for a while.",
    ),
    failuresInRow: z.number().int(),
    failingSince: Timestamp.nullable(),
  }),
  previousSecretValidUntil: Timestamp.nullable().describe(
    "While a rotated secret still signs beside the new one.",
  ),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type Webhook = z.infer<typeof Webhook>;
/** The secret is shown here and on rotation, and never again. */
export const CreatedWebhook = Webhook.extend({ secret: z.string() });
export const WebhooksAnswer = z.strictObject({
  webhooks: z.array(Webhook),
  nextCursor: z.string().nullable(),
});

/** As Standard Webhooks writes a symmetric secret: 24 to 64 bytes in base64. */
export const WebhookSecret = z
  .string()
  .regex(/^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/, "must be `whsec_` and the base64 of 24 to 64 bytes");

export const RotateSecret = z.strictObject({
  overlapSeconds: z
    .number()
    .int()
    .min(0)
    .max(7 * 86_400)
    .default(86_400),
});
export const RotatedSecret = z.strictObject({ secret: z.string(), previousValidUntil: Timestamp.nullable() });

export const WebhookTestBefore = z.strictObject({
  url: settings.url,
  events: settings.events.default(["signal.failed"]),
  secret: WebhookSecret.optional().describe("Signs the request; one is made up unless given."),
  signing: settings.signing.default(true),
});
export const WebhookTest = z.strictObject({ event: EventKind.default("signal.failed") });
export const WebhookTestAnswer = z.strictObject({
  delivered: z.boolean(),
  responseStatus: z.number().int().nullable(),
  durationMs: z.number(),
  responseBody: z.string().nullable().describe("The first 4 kB."),
  detail: z.string().describe("What came of it, in a sentence."),
  request: z.strictObject({ headers: z.record(z.string(), z.string()), body: z.string() }),
});
export type WebhookTestAnswer = z.infer<typeof WebhookTestAnswer>;

/**
 * `pending`: not delivered yet · `failed`: no attempt is left · `discarded`: its webhook wants no more · `held`: waits
 * whether more of its source fail · `grouped`: told by a notification of its group instead.
 */
export const DeliveryStatus = z.enum(["pending", "delivered", "failed", "discarded", "held", "grouped"]);
export type DeliveryStatus = z.infer<typeof DeliveryStatus>;

export const Attempt = z.strictObject({
  number: z.number().int().min(1),
  at: Timestamp,
  durationMs: z.number(),
  responseStatus: z.number().int().nullable(),
  code: z.string().nullable().describe("Why there was no answer; null when there was one."),
  detail: z.string(),
  responseBody: z.string().nullable().describe("The first 4 kB."),
});
export type Attempt = z.infer<typeof Attempt>;

export const Delivery = z.strictObject({
  id: DeliveryId,
  webhookId: WebhookId,
  eventId: EventId,
  event: EventKind,
  signalId: SignalId.nullable(),
  status: DeliveryStatus,
  attempts: z.array(Attempt).describe("Oldest first."),
  nextAttemptAt: Timestamp.nullable(),
  createdAt: Timestamp,
});
export type Delivery = z.infer<typeof Delivery>;

export const DeliveriesQuery = z.strictObject({
  ...ListQuery.shape,
  status: DeliveryStatus.optional(),
  event: repeatable(EventKind).optional(),
  from: TimestampInput.optional(),
  to: TimestampInput.optional(),
});
export type DeliveriesQuery = z.infer<typeof DeliveriesQuery>;
export const DeliveriesAnswer = z.strictObject({
  deliveries: z.array(Delivery),
  nextCursor: z.string().nullable(),
});

export const RecoverRequest = z.strictObject({ since: TimestampInput });
export const RecoverAnswer = z.strictObject({
  deliveries: z.number().int().describe("How many will be sent."),
});

/** What a receiver got, to be told why it does not verify. */
export const DiagnoseRequest = z.strictObject({
  headers: z
    .record(z.string().max(200), z.union([z.string().max(8_000), z.array(z.string().max(8_000)).max(20)]))
    .refine((headers) => Object.keys(headers).length <= 100, "at most 100 headers")
    .describe("By their names in any case; a list of values, as some frameworks give it, will do."),
  body: z.string().max(200_000).describe("As it came, before any parser."),
  computed: z.string().max(1_000).optional().describe("The signature that the receiver's code comes to."),
});
export const DiagnoseAnswer = z.strictObject({
  verifies: z.boolean(),
  findings: z.array(z.strictObject({ code: z.string(), message: z.string() })),
});
