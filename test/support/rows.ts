import { AccountId, EventId, SignalId } from "../../schemas/common.ts";
import { API_VERSION, type EventData, type EventKind, type SignalServiceEvent } from "../../schemas/event.ts";
import type { Signal } from "../../schemas/signal.ts";

const encoder = new TextEncoder();
export const bytes = (text: string): Uint8Array => encoder.encode(text);

const numbered = (prefix: string, n: number): string =>
  `${prefix}_01JDA2V3Q8R5T7W9Y1${String(n).padStart(8, "0")}`;

/** Ids of tests: valid, and the same for the same number. */
export const signalId = (n: number): SignalId => SignalId.parse(numbered("sig", n));
export const accountId = (n: number): AccountId => AccountId.parse(numbered("acc", n));
export const eventId = (n: number): EventId => EventId.parse(numbered("evt", n));

export interface EventOf {
  readonly kind: EventKind;
  readonly at: number;
  readonly sequence: number | null;
  readonly data?: EventData;
}
export const event = (n: number, { kind, at, sequence, data = {} }: EventOf): SignalServiceEvent => ({
  event: kind,
  id: eventId(n),
  type: kind,
  createdAt: new Date(at).toISOString(),
  apiVersion: API_VERSION,
  sequence,
  data,
});

/** A signal as an event shows it, with the time of its newest reading. */
export const shownSignal = (id: SignalId, lastReadingAt: number | null): Signal => ({
  id,
  name: "shown",
  threshold: 0,
  status: "active",
  sourceId: null,
  externalId: null,
  labels: {},
  floorDbm: -100,
  ceilingDbm: -50,
  hysteresis: 0.05,
  noDataAfterSeconds: null,
  strength: lastReadingAt === null ? null : -60,
  quality: lastReadingAt === null ? null : 0.8,
  lastReadingAt: lastReadingAt === null ? null : new Date(lastReadingAt).toISOString(),
  reasons: [],
  sequence: 1,
  createdAt: new Date(0).toISOString(),
  updatedAt: new Date(0).toISOString(),
});
