import type { Rates as ToldRates } from "../../schemas/service.ts";
import type { Clock } from "../ports/clock.ts";
import type { EventLog, Topic } from "../ports/event-log.ts";
import type { Telemetry } from "../ports/telemetry.ts";
import { Background } from "./background.ts";

const SAMPLE_MS = 5_000;
/** A minute back. */
const SAMPLES_MAX = 13;
/** What is told of less is chance. */
const SPAN_MIN_MS = 1_000;

/** The counter of each stage that readings go through. */
const STAGES = {
  accepted: { counter: "ingest_readings_total", labels: {} },
  evaluated: { counter: "evaluate_readings_total", labels: {} },
  stored: { counter: "record_rows_total", labels: { topic: "readings" } },
} as const;
type Stage = keyof typeof STAGES;

/** How far the log was, over all partitions, and this process, at a time on the monotonic clock. */
interface Sample {
  readonly atMs: number;
  readonly records: number;
  readonly events: number;
  /** Null: no such stage here. */
  readonly readings: Readonly<Record<Stage, number | null>>;
}

/**
 * How fast the log grows, whoever writes it, from the ends of its partitions; and how many readings go through this
 * process, by its own counters. Looked at every 5 s.
 */
export class Rates {
  readonly #log: Pick<EventLog, "bounds">;
  readonly #clock: Clock;
  readonly #telemetry: Telemetry;
  readonly #samples: Sample[] = [];
  readonly #background = new Background();
  readonly #cancel: () => void;

  constructor(log: Pick<EventLog, "bounds">, clock: Clock, telemetry: Telemetry) {
    this.#log = log;
    this.#clock = clock;
    this.#telemetry = telemetry;
    this.#keepSample();
    this.#cancel = clock.every(SAMPLE_MS, () => this.#keepSample());
  }

  /** Over the last minute, or since the start of this process; null in its first second. */
  async now(): Promise<ToldRates | null> {
    const [first, last] = [this.#samples[0], await this.#sample()];
    const spanMs = last.atMs - (first?.atMs ?? last.atMs);
    if (first === undefined || spanMs < SPAN_MIN_MS) return null;
    const perSecond = (count: number) => Math.round((count * 100_000) / spanMs) / 100;
    const through = (stage: Stage) => {
      const [before, now] = [first.readings[stage], last.readings[stage]];
      return now === null ? null : perSecond(now - (before ?? 0));
    };
    return {
      overSeconds: Math.round(spanMs / 1_000),
      readingsPerSecond: {
        accepted: through("accepted"),
        evaluated: through("evaluated"),
        stored: through("stored"),
      },
      readingRecordsPerSecond: perSecond(last.records - first.records),
      eventsPerSecond: perSecond(last.events - first.events),
    };
  }

  async stop(): Promise<void> {
    this.#cancel();
    await this.#background.settled();
  }

  async #sample(): Promise<Sample> {
    const [records, events, accepted, evaluated, stored] = await Promise.all([
      this.#end("readings"),
      this.#end("events"),
      this.#total("accepted"),
      this.#total("evaluated"),
      this.#total("stored"),
    ]);
    return { atMs: this.#clock.monotonic(), records, events, readings: { accepted, evaluated, stored } };
  }

  #total(stage: Stage): Promise<number | null> {
    const { counter, labels } = STAGES[stage];
    return this.#telemetry.metrics.total(counter, labels);
  }

  async #end(topic: Topic): Promise<number> {
    return (await this.#log.bounds(topic)).reduce((sum, { end }) => sum + end, 0);
  }

  #keepSample(): void {
    this.#background.run(
      async () => {
        this.#samples.push(await this.#sample());
        if (this.#samples.length > SAMPLES_MAX) this.#samples.shift();
      },
      (err) => this.#telemetry.log.debug({ err }, "rates_not_sampled"),
    );
  }
}
