import { type BackoffPolicy, fullJitterMs } from "../backoff.ts";

/** Failures in a row after which an endpoint is left alone for a while. */
export const OPEN_AFTER_FAILURES = 10;
/** A probe comes after half of this at least. */
const PAUSE: BackoffPolicy = { baseMs: 5_000, capMs: 300_000 };

/** What is known of an endpoint's health; a row of control data. Times are Unix milliseconds. */
export interface Circuit {
  readonly failuresInRow: number;
  /** When the first of the failures in a row came; null after a success. */
  readonly failingSinceMs: number | null;
  /** Until when nothing is sent; null: closed. Once it has passed, one attempt goes out as a probe. */
  readonly openUntilMs: number | null;
}

export const CLOSED: Circuit = { failuresInRow: 0, failingSinceMs: null, openUntilMs: null };

/**
 * - `closed`: attempts go out.
 * - `open`: none does; what waits keeps its attempts.
 * - `half-open`: one goes out, and its result decides.
 */
export const stateOf = ({ openUntilMs }: Circuit, nowMs: number): "closed" | "open" | "half-open" => {
  if (openUntilMs === null) return "closed";
  return nowMs < openUntilMs ? "open" : "half-open";
};

/** After an attempt that ended at `nowMs`; `random` in [0, 1). Pauses double with each probe that fails, to 5 min. */
export const afterAttempt = (
  circuit: Circuit,
  succeeded: boolean,
  nowMs: number,
  random: number,
): Circuit => {
  if (succeeded) return CLOSED;
  // What was already under way when the circuit opened makes it no worse, nor the pauses that follow.
  if (stateOf(circuit, nowMs) === "open") return circuit;
  const failuresInRow = circuit.failuresInRow + 1;
  const failingSinceMs = circuit.failingSinceMs ?? nowMs;
  if (failuresInRow < OPEN_AFTER_FAILURES) return { failuresInRow, failingSinceMs, openUntilMs: null };
  const probes = failuresInRow - OPEN_AFTER_FAILURES;
  const pauseMs = fullJitterMs(PAUSE, probes, 0.5 + random / 2);
  return { failuresInRow, failingSinceMs, openUntilMs: nowMs + pauseMs };
};
