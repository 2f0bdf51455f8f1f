import { z } from "zod";
import { AlertData } from "./alert.ts";
import { EventId, ListQuery, repeatable, SignalId, SilenceId, Timestamp, TimestampInput } from "./common.ts";
import { GroupData } from "./group.ts";
import { Reason, Signal } from "./signal.ts";

export const SignalEventKind = z.enum([
  "signal.created",
  "signal.updated",
  "signal.failed",
  "signal.deleted",
  "alert.firing",
  "alert.resolved",
  "alert.acknowledged",
]);
export const SourceEventKind = z.enum(["source.connected", "source.disconnected"]);
/** What the service itself did to a webhook. */
export const WebhookEventKind = z.enum(["webhook.disabled"]);
/** What webhooks with `groups` get in place of failures and recoveries; in no list or stream of events. */
export const GroupEventKind = z.enum(["source.degraded", "source.recovered"]);
export const EventKind = z.enum([
  ...SignalEventKind.options,
  ...SourceEventKind.options,
  ...WebhookEventKind.options,
  ...GroupEventKind.options,
]);
export type SignalEventKind = z.infer<typeof SignalEventKind>;
export type EventKind = z.infer<typeof EventKind>;
export type GroupEventKind = z.infer<typeof GroupEventKind>;

/** `previous` holds the old values of what changed. */
export const EventData = z.strictObject({
  signal: Signal.optional(),
  previous: Signal.partial().optional(),
  reasons: z.array(Reason).optional(),
  alert: AlertData.optional(),
  /** Why it is kept here, but delivered to nobody. */
  silencedBy: SilenceId.optional(),
  heldBy: z.literal("flapping").optional(),
  /** Of a failure that goes on: the event that was held back, and is told now. An alert has its own. */
  repeatOf: EventId.optional(),
  source: z.strictObject({ id: z.string(), name: z.string(), reason: z.string().nullable() }).optional(),
  /** Without its URL, which may itself be a secret, and is told to other endpoints here. */
  webhook: z.strictObject({ id: z.string(), name: z.string().nullable(), reason: z.string() }).optional(),
  group: GroupData.optional(),
});
export type EventData = z.infer<typeof EventData>;

export const API_VERSION = "v1";

/** What happened: the same object in `GET /v1/events`, on the stream and in a webhook's body. */
export const SignalServiceEvent = z.strictObject({
  event: EventKind,
  id: EventId,
  type: EventKind,
  createdAt: Timestamp,
  apiVersion: z.literal(API_VERSION),
  /** 1, 2, 3 … per signal over all its events; null for what is no signal's. */
  sequence: z.number().int().min(1).nullable(),
  data: EventData,
});
export type SignalServiceEvent = z.infer<typeof SignalServiceEvent>;

/** Events in the order of their topic, oldest first: after an event, or from a cursor, or from the first one kept. */
export const EventsQuery = z.strictObject({
  ...ListQuery.shape,
  signalId: repeatable(SignalId).optional(),
  event: repeatable(EventKind).optional(),
  after: EventId.optional(),
  from: TimestampInput.optional(),
  to: TimestampInput.optional(),
});
export type EventsQuery = z.infer<typeof EventsQuery>;

export const EventsAnswer = z.strictObject({
  events: z.array(SignalServiceEvent),
  nextCursor: z.string().nullable(),
});

/** Made-up events, for those who build what takes them. */
export const SamplesQuery = z.strictObject({ event: repeatable(EventKind).optional() });
export const SamplesAnswer = z.strictObject({ events: z.array(SignalServiceEvent) });

/** `GET /v1/events/stream`: which events, and from where; `from` begins with what is stored, neither with what comes. */
export const EventsStreamQuery = EventsQuery.omit({ limit: true, cursor: true });
export type EventsStreamQuery = z.infer<typeof EventsStreamQuery>;
/** Of a client that comes back: counts more than `after`, which its address still names. */
export const EventsStreamHeaders = z.looseObject({
  "last-event-id": z.union([z.literal("").transform(() => undefined), EventId]).optional(),
});
