/** The time of a reading that there has never been; its strength and quality are no numbers. */
export const NEVER_MS = 0;

/** What the worker tells the page; arrays are handed over, not copied. */
export interface LiveBatch {
  readonly kind: "readings";
  /** Places of signals, as `signals` gave them; the newest value of each. */
  readonly place: Uint32Array;
  /** dBm; no number where there has never been a reading. */
  readonly strength: Float32Array;
  /** 0 to 1. */
  readonly quality: Float32Array;
  /** Place in COMPACT_STATUS. */
  readonly status: Uint8Array;
  /** Unix ms, by the clock of whoever measured; NEVER_MS. */
  readonly at: Float64Array;
}

/** What is looked at of an event before it is asked for in full. */
export interface ToldEvent {
  readonly id: string;
  readonly event: string;
  readonly data: { readonly signal?: { readonly id: string } };
}

export type ConnectionState = "connecting" | "open" | "lost" | "refused";

export type FromWorker =
  | LiveBatch
  /** Signals that were not known before: the first one's place, and their ids. */
  | { readonly kind: "signals"; readonly from: number; readonly ids: readonly string[] }
  | { readonly kind: "event"; readonly event: ToldEvent }
  /** And for how long nothing had been heard when it came to that, ms. */
  | { readonly kind: "connection"; readonly state: ConnectionState; readonly silentMs: number };

export type ToWorker =
  | { readonly kind: "start"; readonly url: string }
  /** No connection, until `again`: whoever is signed in by then may be somebody else. */
  | { readonly kind: "hold" }
  | { readonly kind: "again" };
