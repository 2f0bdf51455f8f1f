import { z } from "zod";
import { EventId, Labels, Quality, SignalId, Timestamp } from "./common.ts";
import { EventKind, SignalServiceEvent } from "./event.ts";
import { SignalStatus } from "./signal.ts";

const SubscriptionId = z.string().min(1).max(100);

export const ReadingsSelection = z.strictObject({
  signalIds: z.union([z.literal("all"), z.array(SignalId).min(1).max(10_000)]).optional(),
  labels: Labels.optional(),
  maxPerSecond: z.number().min(0.1).max(10).default(10),
  /** Whether those that have never reported are told of, too: in the compact format alone. */
  unreported: z.boolean().default(false),
});
export type ReadingsSelection = z.infer<typeof ReadingsSelection>;

export const EventsSelection = z.strictObject({
  types: z.array(EventKind).min(1).optional(),
  signalIds: z.array(SignalId).min(1).max(10_000).optional(),
  /** Resume: every event after this one, without gap or repeat; null: from the first one. Not given: from now on. */
  after: EventId.nullable().optional(),
});
export type EventsSelection = z.infer<typeof EventsSelection>;

export const ClientMessage = z.discriminatedUnion("type", [
  z
    .strictObject({
      type: z.literal("subscribe"),
      id: SubscriptionId,
      readings: ReadingsSelection.optional(),
      events: EventsSelection.optional(),
      format: z.enum(["json", "compact"]).default("json"),
    })
    .refine(({ readings, format }) => readings?.unreported !== true || format === "compact", {
      path: ["readings", "unreported"],
      error: "is for format compact: a reading of the other one has a strength",
    }),
  z.strictObject({ type: z.literal("unsubscribe"), id: SubscriptionId }),
  z.strictObject({ type: z.literal("ping") }),
]);
export type ClientMessage = z.infer<typeof ClientMessage>;

export const LiveReading = z.strictObject({
  signalId: SignalId,
  at: Timestamp,
  strength: z.number(),
  quality: Quality,
  status: SignalStatus,
});
export type LiveReading = z.infer<typeof LiveReading>;

export const ServerMessage = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("subscribed"),
    id: SubscriptionId,
    /**
     * Of a subscription to events: after which of the account's they begin, whether it asks for that one or not. Who loses
     * the connection before the first event resumes there. Null: before the first one.
     */
    after: EventId.nullable().optional(),
  }),
  z.strictObject({ type: z.literal("unsubscribed"), id: SubscriptionId }),
  z.strictObject({ type: z.literal("readings"), id: SubscriptionId, readings: z.array(LiveReading) }),
  z.strictObject({ type: z.literal("event"), id: SubscriptionId, event: SignalServiceEvent }),
  z.strictObject({
    type: z.literal("error"),
    /** The subscription that was refused, or has ended. */
    id: SubscriptionId.optional(),
    code: z.string(),
    detail: z.string(),
  }),
  z.strictObject({ type: z.literal("pong") }),
]);
export type ServerMessage = z.infer<typeof ServerMessage>;

/**
 * Close codes of `/v1/stream`. 4408 says: come back and resume with `after`; 1013 (RFC 6455's registry): there are too
 * many streams, try again later.
 */
export const StreamClose = {
  shuttingDown: 1001,
  full: 1013,
  badMessage: 4400,
  unauthenticated: 4401,
  tooSlow: 4408,
} as const;

/** `format: "compact"`: which signal a number stands for, sent before the number is used. */
export const CompactSignals = z.strictObject({
  type: z.literal("signals"),
  id: SubscriptionId,
  handles: z.record(z.string(), SignalId),
});
/** Status in compact readings: its place in this list. */
export const COMPACT_STATUS = ["active", "failed", "paused"] as const satisfies readonly SignalStatus[];
const Handle = z.number().int();
const StatusPlace = z.number().int().min(0).max(2);
/** [handle, milliseconds after `base`, strength, quality, status]; null where a signal has never reported. */
const CompactRow = z.union([
  z.tuple([Handle, z.number().int(), z.number(), z.number(), StatusPlace]),
  z.tuple([Handle, z.null(), z.null(), z.null(), StatusPlace]),
]);
export type CompactRow = z.infer<typeof CompactRow>;
export const CompactReadings = z.strictObject({
  type: z.literal("readings"),
  id: SubscriptionId,
  base: z.number().int(),
  readings: z.array(CompactRow),
});
export const CompactServerMessage = z.union([CompactSignals, CompactReadings]);

/** `POST /v1/stream/tickets`: opens one stream with `?ticket=` until `expiresAt`. */
export const StreamTicket = z.strictObject({ ticket: z.string(), expiresAt: Timestamp });
