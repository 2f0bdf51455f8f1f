import type { Change } from "../../../schemas/change.ts";
import type { SignalId } from "../../../schemas/common.ts";
import type { AlertName } from "./told.ts";

/** Signal, its own time (Unix ms), dBm. */
export type InputReading = readonly [signalId: SignalId, at: number, strength: number];
type Acknowledged = Extract<Change, { type: "acknowledged" }>;
/** An acknowledgement names the alert in the way that does not depend on the log. */
export type InputAcknowledgement = Pick<Acknowledged, "at" | "by" | "note"> & { readonly of: AlertName };

/** A record of a partition: its append time, and what it holds. */
export type Input = { readonly appendedAt: number } & (
  | { readonly kind: "readings"; readonly readings: readonly InputReading[] }
  | { readonly kind: "change"; readonly change: Change }
  | { readonly kind: "acknowledged"; readonly acknowledged: InputAcknowledgement }
  | { readonly kind: "tick" }
);
