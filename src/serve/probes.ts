import { PENDING_ALERTS_MAX } from "../../schemas/alert.ts";
import type { PendingAnswer, PendingQuestion, Probe } from "../../schemas/change.ts";
import { ulid } from "../domain/ids.ts";
import type { LogRecord } from "../domain/log-record.ts";
import { partitionOf } from "../domain/partition.ts";
import {
  type ProbeAnswer,
  pendingQuestionRecord,
  probeRecord,
  readPendingAnswer,
  readProbeAnswer,
} from "../domain/records.ts";
import type { Clock, Entropy } from "../ports/clock.ts";
import type { EventLog, NewRecord } from "../ports/event-log.ts";
import { ProblemError } from "./problem.ts";

const WAITING_MAX = 1_000;

const shuttingDown = () => new ProblemError("pipeline_unavailable", "the service is shutting down");

type Question = Omit<Probe, "probeId">;
type Pending = Omit<PendingQuestion, "questionId">;

interface Waiting {
  readonly answered: (record: LogRecord) => void;
  readonly failed: (problem: ProblemError) => void;
}

/** As many answers as there are partitions that were asked; a second one of a partition says nothing new. */
const gathered = <T>(count: number, read: (record: LogRecord) => T) => {
  const { promise, resolve, reject } = Promise.withResolvers<readonly T[]>();
  const byPartition = new Map<string, T>();
  const answered = (record: LogRecord): void => {
    byPartition.set(record.headers.partition ?? "", read(record));
    if (byPartition.size === count) resolve([...byPartition.values()]);
  };
  return { promise, answered, failed: reject };
};

/** All partitions' newest, and whether there are more. */
const together = (answers: readonly PendingAnswer[]): PendingAnswer => {
  const alerts = answers.flatMap((answer) => answer.alerts).sort((a, b) => (a.id < b.id ? 1 : -1));
  const truncated = alerts.length > PENDING_ALERTS_MAX || answers.some((answer) => answer.truncated);
  return { alerts: alerts.slice(0, PENDING_ALERTS_MAX), truncated };
};

/** Questions that travel the way of a reading: into a partition, through its evaluator, back on `live`. */
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
    const startedAt = this.#clock.monotonic();
    const partition = partitionOf(question.signalId, this.#log.partitions("readings"));
    const [answer] = await this.#answers(readProbeAnswer, (probeId) => [
      probeRecord({ probeId, ...question }, partition),
    ]);
    if (answer === undefined) throw new Error("no partition was asked");
    return { answer, latencyMs: this.#clock.monotonic() - startedAt };
  }

  /** The newest alerts that wait, in all partitions; a problem as above when one of them does not answer. */
  async pending(question: Pending): Promise<PendingAnswer> {
    const partitions = Array.from({ length: this.#log.partitions("readings") }, (_, partition) => partition);
    const answers = await this.#answers(readPendingAnswer, (questionId) =>
      partitions.map((partition) => pendingQuestionRecord({ questionId, ...question }, partition)),
    );
    return together(answers);
  }

  /** Takes an answer's record of `live`; those to other processes' questions are left alone. */
  answer(record: LogRecord): void {
    this.#waiting.get(record.headers.probe ?? "")?.answered(record);
  }

  /** No answer can be hoped for any more. */
  stop(): void {
    this.#isStopped = true;
    for (const { failed } of this.#waiting.values()) failed(shuttingDown());
  }

  async #answers<T>(
    read: (record: LogRecord) => T,
    recordsOf: (id: string) => readonly NewRecord[],
  ): Promise<readonly T[]> {
    if (this.#isStopped) throw shuttingDown();
    if (this.#waiting.size >= WAITING_MAX)
      throw new ProblemError("pipeline_unavailable", "too many questions are waiting for an answer");
    const id = ulid(this.#clock.now(), this.#entropy.bytes(10));
    const records = recordsOf(id);
    const { promise, answered, failed } = gathered(records.length, read);
    const late = `the pipeline did not answer within ${this.#timeoutMs / 1_000} s`;
    const cancel = this.#clock.after(this.#timeoutMs, () =>
      failed(new ProblemError("pipeline_unavailable", late)),
    );
    this.#waiting.set(id, { answered, failed });
    try {
      const appended = this.#log.append("readings", records);
      // The answer may come before the append is known to be durable, and a log that hangs must not hold the caller.
      return await Promise.race([promise, appended.then(() => promise)]);
    } finally {
      cancel();
      this.#waiting.delete(id);
    }
  }
}
