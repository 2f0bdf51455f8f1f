import type { DeadLetterProblem } from "../domain/evaluation/sink.ts";
import type { NewRecord } from "../ports/event-log.ts";
import type { EvaluateContext } from "./context.ts";

const VALUE_BYTES_MAX = 4_096;

/** A dead letter as it stands in its topic: the line or the record, at most 4 kB of it, and where it came from. */
const deadLetterRecord = (
  partition: number,
  problem: DeadLetterProblem,
  offset: number,
  line: number | null,
  bytes: Uint8Array,
): NewRecord => ({
  headers: {
    topic: "readings",
    partition: String(partition),
    offset: String(offset),
    ...(line === null ? {} : { line: String(line) }),
    problem,
  },
  value: bytes.slice(0, VALUE_BYTES_MAX),
});

/** Counts every dead letter, and lets so many a second through to be written: a flood of junk must not fill the log. */
export class DeadLetterLimit {
  readonly #context: EvaluateContext;
  #allowed: number;
  #refilledAtMs: number;

  constructor(context: EvaluateContext) {
    this.#context = context;
    this.#allowed = context.settings.deadLettersPerSecond;
    this.#refilledAtMs = context.clock.monotonic();
  }

  /** Null once the second's share is used up. */
  record(
    partition: number,
    problem: DeadLetterProblem,
    offset: number,
    line: number | null,
    bytes: Uint8Array,
  ): NewRecord | null {
    this.#context.metrics.deadLetters.add(1, { reason: problem });
    this.#refill();
    if (this.#allowed < 1) return null;
    this.#allowed--;
    return deadLetterRecord(partition, problem, offset, line, bytes);
  }

  #refill(): void {
    const { clock, settings } = this.#context;
    const now = clock.monotonic();
    const share = ((now - this.#refilledAtMs) / 1000) * settings.deadLettersPerSecond;
    this.#allowed = Math.min(settings.deadLettersPerSecond, this.#allowed + share);
    this.#refilledAtMs = now;
  }
}
