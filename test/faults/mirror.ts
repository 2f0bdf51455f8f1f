import { openKafkaLog } from "../../src/adapters/kafka/open.ts";
import { systemClock, systemEntropy } from "../../src/adapters/system/clock.ts";
import type { EventLog } from "../../src/ports/event-log.ts";
import { LogFold, trimmedOf, type WhatWasLogged } from "../support/kept.ts";
import type { Stack } from "../support/stack.ts";
import { testTelemetry } from "../support/telemetry.ts";
import { until } from "../support/until.ts";
import { Rounds } from "./rounds.ts";
import { PARTITIONS, roundOf } from "./trial.ts";

const CAUGHT_UP_MAX_MS = 60_000;

/**
 * Reads the log beside the workers, as it grows and before it is trimmed, and folds it: one reader, from the first
 * record on, whom nothing disturbs but that the broker is away now and then.
 */
export class Mirror {
  readonly rounds = new Rounds();
  readonly #log: EventLog;
  readonly #fold: LogFold;
  readonly #stop = new AbortController();
  readonly #next: number[];
  readonly #running: Promise<unknown>;
  #failure: unknown = null;

  private constructor(log: EventLog) {
    this.#log = log;
    this.#fold = new LogFold(log, (signalId, atMs) => this.rounds.add(signalId, roundOf(atMs)));
    this.#next = Array.from({ length: PARTITIONS }, () => 0);
    this.#running = Promise.all(this.#next.map((_, partition) => this.#read(partition))).catch(
      (error: unknown) => {
        this.#failure = error;
      },
    );
  }

  static async start({ kafka, topicPrefix }: Stack): Promise<Mirror> {
    const log = await openKafkaLog({
      brokers: [`127.0.0.1:${kafka.ports.plain}`],
      topicPrefix,
      partitions: { readings: PARTITIONS },
      maxBytes: 2 ** 40,
      clock: systemClock,
      entropy: systemEntropy,
      telemetry: testTelemetry(),
    });
    return new Mirror(log);
  }

  /** Once nothing is appended any more: what was in the log, all of it. */
  async finish(): Promise<WhatWasLogged> {
    const ends = await this.#log.bounds("readings");
    const hasAll = () => {
      if (this.#failure !== null) throw this.#failure;
      return ends.every(({ partition, end }) => (this.#next[partition] ?? 0) >= end);
    };
    await until("the mirror to have the whole log", hasAll, CAUGHT_UP_MAX_MS);
    const { accepted, sums, replayed } = this.#fold;
    return { trimmed: await trimmedOf(this.#log), accepted, sums, replayed };
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
    await this.#log.close();
  }

  async #read(partition: number): Promise<void> {
    const { signal } = this.#stop;
    for await (const batch of this.#log.tail("readings", { partition, from: 0, signal }))
      for (const record of batch) {
        if (record.offset !== this.#next[partition])
          throw new Error(`the mirror missed records of partition ${partition} before ${record.offset}`);
        this.#fold.apply(partition, record);
        this.#next[partition] = record.offset + 1;
      }
  }
}
