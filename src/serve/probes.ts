import type { AccountId } from "../../schemas/common.ts";
import { ulid } from "../domain/ids.ts";
import type { LogRecord } from "../domain/log-record.ts";
import { partitionOf } from "../domain/partition.ts";
import { type ProbeAnswer, probeRecord, readProbeAnswer } from "../domain/records.ts";
import type { Clock, Entropy } from "../ports/clock.ts";
import type { EventLog } from "../ports/event-log.ts";
import { ProblemError } from "./problem.ts";

const PENDING_MAX = 1_000;

const shuttingDown = () => new ProblemError("pipeline_unavailable", "the service is shutting down");

interface Question {
  readonly accountId: AccountId;
  readonly signalId: string;
  readonly strength: number;
}
interface Waiting {
  readonly answered: (answer: ProbeAnswer) => void;
  readonly failed: (problem: ProblemError) => void;
}

/** Questions that travel the way of a reading: into the signal's partition, through the evaluator, back on `live`. */
export class Probes {
  readonly #log: EventLog;
  readonly #clock: Clock;
  readonly #entropy: Entropy;
  readonly #timeoutMs: number;
  readonly #waiting = new Map<string, Waiting>();
  #isStopped = false;

  constructor(options: { log: EventLog; clock: Clock; entropy: Entropy; timeoutMs: number }) {
    this.#log = options.log;
    this.#clock = options.clock;
    this.#entropy = options.entropy;
    this.#timeoutMs = options.timeoutMs;
  }

  /** The evaluator's answer, and the milliseconds that it took to come; a `pipeline_unavailable` problem when none comes. */
  async ask(question: Question): Promise<{ answer: ProbeAnswer; latencyMs: number }> {
    if (this.#isStopped) throw shuttingDown();
    if (this.#waiting.size >= PENDING_MAX)
      throw new ProblemError("pipeline_unavailable", "too many tests are waiting for an answer");
    const startedAt = this.#clock.monotonic();
    const probeId = ulid(this.#clock.now(), this.#entropy.bytes(10));
    const { promise, resolve, reject } = Promise.withResolvers<ProbeAnswer>();
    const late = `the pipeline did not answer within ${this.#timeoutMs / 1_000} s`;
    const cancel = this.#clock.after(this.#timeoutMs, () =>
      reject(new ProblemError("pipeline_unavailable", late)),
    );
    this.#waiting.set(probeId, { answered: resolve, failed: reject });
    try {
      const partition = partitionOf(question.signalId, this.#log.partitions("readings"));
      const appended = this.#log.append("readings", [probeRecord({ probeId, ...question }, partition)]);
      // The answer may come before the append is known to be durable, and a log that hangs must not hold the caller.
      const answer = await Promise.race([promise, appended.then(() => promise)]);
      return { answer, latencyMs: this.#clock.monotonic() - startedAt };
    } finally {
      cancel();
      this.#waiting.delete(probeId);
    }
  }

  /** Takes a record of `live` with header `kind=probe-answer`; answers to other processes' questions are left alone. */
  answer(record: LogRecord): void {
    const waiting = this.#waiting.get(record.headers.probe ?? "");
    if (waiting !== undefined) waiting.answered(readProbeAnswer(record));
  }

  /** No answer can be hoped for any more. */
  stop(): void {
    this.#isStopped = true;
    for (const { failed } of this.#waiting.values()) failed(shuttingDown());
  }
}
