import type { LogRates } from "../../schemas/service.ts";
import type { Clock } from "../ports/clock.ts";
import type { EventLog, Topic } from "../ports/event-log.ts";
import type { Telemetry } from "../ports/telemetry.ts";
import { Background } from "./background.ts";

const SAMPLE_MS = 5_000;
/** A minute back. */
const SAMPLES_MAX = 13;
/** What is told of less is chance. */
const SPAN_MIN_MS = 1_000;

/** How far the log was, over all partitions, at a time on the monotonic clock. */
interface Sample {
  readonly atMs: number;
  readonly readings: number;
  readonly events: number;
}

/** How fast the log grows, whoever writes it: from the ends of its partitions, looked at every 5 s. */
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
  async now(): Promise<LogRates | null> {
    const [first, last] = [this.#samples[0], await this.#sample()];
    const spanMs = last.atMs - (first?.atMs ?? last.atMs);
    if (first === undefined || spanMs < SPAN_MIN_MS) return null;
    const perSecond = (count: number) => Math.round((count * 100_000) / spanMs) / 100;
    return {
      overSeconds: Math.round(spanMs / 1_000),
      readingRecordsPerSecond: perSecond(last.readings - first.readings),
      eventsPerSecond: perSecond(last.events - first.events),
    };
  }

  async stop(): Promise<void> {
    this.#cancel();
    await this.#background.settled();
  }

  async #sample(): Promise<Sample> {
    const [readings, events] = await Promise.all([this.#end("readings"), this.#end("events")]);
    return { atMs: this.#clock.monotonic(), readings, events };
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
