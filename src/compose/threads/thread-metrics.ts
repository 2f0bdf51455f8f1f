import type { Clock } from "../../ports/clock.ts";
import type { Surroundings } from "../../ports/surroundings.ts";
import type { Metrics } from "../../ports/telemetry.ts";
import type { PipelineWorker } from "../pipeline.ts";
import type { ThreadCalls } from "./thread-calls.ts";

const ANSWER_MAX_MS = 2_000;

interface Answer<T> {
  readonly value: T;
}

/** A question of which one at a time is on its way: who asks meanwhile waits for the same answer. */
class Question<T> {
  readonly #ask: () => Promise<T>;
  readonly #clock: Clock;
  #asked: Promise<Answer<T> | null> | null = null;
  #isLate = false;

  constructor(ask: () => Promise<T>, clock: Clock) {
    this.#ask = ask;
    this.#clock = clock;
  }

  /** Null where none comes in time: for those who ask later at once, until it has come after all. Never rejects. */
  async answer(): Promise<Answer<T> | null> {
    if (this.#isLate) return null;
    this.#asked ??= this.#inTime();
    return this.#asked;
  }

  #inTime(): Promise<Answer<T> | null> {
    const late = Promise.withResolvers<null>();
    const cancel = this.#clock.after(ANSWER_MAX_MS, () => {
      this.#isLate = true;
      late.resolve(null);
    });
    const answered = this.#ask()
      .then((value) => ({ value }))
      .catch(() => null)
      .finally(() => {
        cancel();
        this.#isLate = false;
        this.#asked = null;
      });
    return Promise.race([answered, late.promise]);
  }
}

/**
 * What a thread measured, to be included in the metrics of the process. While the thread does not answer, the text of
 * `/metrics` is without it (counted by `thread_metrics_left_out_total`), and totals are as they were told last.
 */
export const threadMetrics = (
  thread: PipelineWorker,
  calls: Pick<ThreadCalls, "metricValues" | "metricTotal">,
  { clock, telemetry }: Surroundings,
): Pick<Metrics, "values" | "total"> => {
  const leftOut = telemetry.metrics.counter(
    "thread_metrics_left_out_total",
    "Answers of /metrics without what a thread measured, which did not tell it in time.",
    ["thread"],
  );
  const values = new Question(() => calls.metricValues(), clock);
  const totals = new Map<string, { readonly question: Question<number | null>; last: number | null }>();
  const totalOf = (...of: Parameters<Metrics["total"]>) => {
    const key = JSON.stringify(of);
    const known = totals.get(key);
    if (known !== undefined) return known;
    const made = { question: new Question(() => calls.metricTotal(...of), clock), last: null };
    totals.set(key, made);
    return made;
  };
  return {
    values: async () => {
      const answer = await values.answer();
      if (answer === null) leftOut.add(1, { thread });
      return answer?.value ?? [];
    },
    total: async (...of) => {
      const total = totalOf(...of);
      const answer = await total.question.answer();
      if (answer !== null) total.last = answer.value;
      return total.last;
    },
  };
};
