import { AccountId, EventId, SignalId } from "../../schemas/common.ts";
import { API_VERSION, type EventData, type EventKind, type SignalServiceEvent } from "../../schemas/event.ts";

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
