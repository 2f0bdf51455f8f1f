import { z } from "zod";
import { Timestamp } from "./common.ts";
import { RejectionReason } from "./source.ts";

/** Lines that a pushed body may have. */
export const PUSH_MESSAGES_MAX = 50_000;

/** What a push came to, once its readings are durable in the log. `rejections`: the first ten. */
export const PushAnswer = z.strictObject({
  /** Readings that are durable. */
  accepted: z.number().int().min(0),
  /** Messages, or elements of one, that are of another kind. */
  skipped: z.number().int().min(0),
  /** What should have mapped to a reading and did not; kept among the source's rejections. */
  rejected: z.number().int().min(0),
  rejections: z.array(z.strictObject({ reason: RejectionReason, detail: z.string() })).max(10),
});
export type PushAnswer = z.infer<typeof PushAnswer>;

/** What came of running kept rejections through the source's present mapping. */
export const RetryAnswer = z.strictObject({
  /** Rejections that were tried. */
  retried: z.number().int().min(0),
  /** Readings that they became, durable in the log. */
  readings: z.number().int().min(0),
  /** Rejections that are still kept: they map no better today, or their message was too long to be kept whole. */
  remaining: z.number().int().min(0),
});
export type RetryAnswer = z.infer<typeof RetryAnswer>;

/** A step of the handshake as it went: what was expected, and what came. */
export const TriedStep = z.strictObject({
  step: z.number().int().min(1),
  expect: z.string().nullable(),
  ok: z.boolean(),
  /** What the far end said, cut short and without what was sent to it; null for a step that sends. */
  came: z.string().nullable(),
});
export const TriedReading = z.strictObject({ signal: z.string(), at: Timestamp, strength: z.number() });
export const TriedMessage = z.strictObject({
  /** The first 4 kB, as text, without what was sent to it; empty for one without a text. */
  payload: z.string(),
  /** How many readings it maps to; the first 50 stand in `readings`. */
  mapped: z.number().int().min(0),
  skipped: z.number().int().min(0),
  rejected: z.number().int().min(0),
  readings: z.array(TriedReading).max(50),
  /** The first ten. */
  rejections: z.array(z.strictObject({ reason: RejectionReason, detail: z.string() })).max(10),
});
export type TriedStep = z.infer<typeof TriedStep>;
export type TriedMessage = z.infer<typeof TriedMessage>;

/** What a source that is not saved came to in at most 10 seconds. Nothing of it is stored. */
export const SourceTestAnswer = z.strictObject({
  connected: z.boolean(),
  /** Why it is not connected, or not any more; null while all was well. */
  reason: z.string().nullable(),
  durationMs: z.number().min(0),
  handshake: z.array(TriedStep),
  /** Up to 20 messages with the readings that they map to, or why they do not. */
  messages: z.array(TriedMessage).max(20),
});
export type SourceTestAnswer = z.infer<typeof SourceTestAnswer>;
