import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import type { LmdbLogOptions } from "../../src/adapters/lmdb/open.ts";
import { openSqliteControl } from "../../src/adapters/sqlite/open.ts";
import { systemClock, systemEntropy } from "../../src/adapters/system/clock.ts";
import type { ControlStore, Progress } from "../../src/ports/control-store.ts";
import type { EventLog, Topic } from "../../src/ports/event-log.ts";
import type { TimeSeries } from "../../src/ports/time-series.ts";
import type { RunningWorker } from "../../src/ports/worker.ts";
import { type RecordOptions, startRecord } from "../../src/record/record.ts";
import { openChdb } from "./chdb.ts";
import { temporaryDirectory } from "./directory.ts";
import { openTestLog } from "./lmdb-log.ts";
import { bytes } from "./rows.ts";
import { testTelemetry } from "./telemetry.ts";
import { until } from "./until.ts";

/** One time series for the tests of a file; asks for it only inside tests. */
export const sharedTimeSeries = (): (() => TimeSeries) => {
  let timeSeries: TimeSeries;
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "sos-"));
    ({ timeSeries } = await openChdb(directory));
  });
  afterAll(async () => {
    await timeSeries.close();
    await rm(directory, { recursive: true, force: true });
  });
  return () => timeSeries;
};

/** The same log for a member that its group has given up: it goes on reading all partitions beside the rightful one. */
export const asZombie = (log: EventLog): EventLog => ({
  logId: log.logId,
  partitions: (topic) => log.partitions(topic),
  append: (topic, records, options) => log.append(topic, records, options),
  consume: (options) => log.consume({ ...options, group: `${options.group}-zombie` }),
  tail: (topic, options) => log.tail(topic, options),
  bounds: (topic) => log.bounds(topic),
  committed: (group, topic) => log.committed(group, topic),
  members: (group) => log.members(group),
  trim: (topic, partition, before) => log.trim(topic, partition, before),
  hasRoom: () => log.hasRoom(),
  whenRoom: (signal) => log.whenRoom(signal),
  health: () => log.health(),
  close: () => log.close(),
});

/** A new log and new control data for one test, and record workers on them. */
export class TestRecord {
  readonly telemetry = testTelemetry();
  readonly log: EventLog;
  readonly control: ControlStore;
  readonly #timeSeries: TimeSeries;
  readonly #before: number;

  private constructor(log: EventLog, control: ControlStore, timeSeries: TimeSeries, before: number) {
    this.log = log;
    this.control = control;
    this.#timeSeries = timeSeries;
    this.#before = before;
  }

  static async open(
    timeSeries: TimeSeries,
    limits: Pick<Partial<LmdbLogOptions>, "maxBytes" | "partitions"> = {},
  ): Promise<TestRecord> {
    const directory = await temporaryDirectory();
    const machine = { clock: systemClock, entropy: systemEntropy, telemetry: testTelemetry() };
    const log = await openTestLog({ directory: join(directory, "log"), ...limits });
    const path = join(directory, "control.db");
    const control = await openSqliteControl({ ...machine, path, secretKey: systemEntropy.bytes(32) });
    onTestFinished(async () => {
      await control.close();
      await log.close();
    });
    return new TestRecord(log, control, timeSeries, (await timeSeries.readingCounts()).raw);
  }

  /** A worker that is stopped at the end of the test at the latest; it does not trim. */
  async start(options: Partial<RecordOptions> = {}): Promise<RunningWorker> {
    const { log, control, telemetry } = this;
    const worker = await startRecord({
      log,
      control,
      telemetry,
      timeSeries: this.#timeSeries,
      clock: systemClock,
      entropy: systemEntropy,
      ...options,
      settings: {
        trim: false,
        readingsLingerMs: 20,
        eventsLingerMs: 20,
        eventsAgainMs: 20,
        ...options.settings,
      },
    });
    onTestFinished(() => worker.stop());
    return worker;
  }

  /** Appends each text as a record of its own; gives the offset after the last. */
  async append(topic: Topic, texts: readonly string[], headers?: Record<string, string>): Promise<number> {
    const records = texts.map((text) => ({
      partition: 0,
      value: bytes(text),
      ...(headers === undefined ? {} : { headers }),
    }));
    const appended = await this.log.append(topic, records);
    return (appended.at(-1)?.offset ?? -1) + 1;
  }

  progress(topic: Topic = "readings"): Promise<Progress> {
    return this.control.recordProgress.read(this.log.logId, topic, 0);
  }

  /** Moves the row of the readings on, as another worker would. */
  async moveOn(to: Progress): Promise<void> {
    const from = await this.progress();
    expect(await this.control.recordProgress.advance(this.log.logId, "readings", 0, from, to)).toBe(true);
  }

  async untilDone(done: number, topic: Topic = "readings"): Promise<void> {
    await until(
      `${topic} to be recorded up to ${done}`,
      async () => (await this.progress(topic)).done === done,
    );
    expect(await this.progress(topic)).toEqual({ done, pendingEnd: null });
  }

  /** Readings stored since the test began; raw and both rollups must agree. */
  async stored(): Promise<number> {
    const { raw, minute, hour } = await this.#timeSeries.readingCounts();
    expect({ minute, hour }).toEqual({ minute: raw, hour: raw });
    return raw - this.#before;
  }

  /** The value of a metric, its labels as they are written; 0 if it was never touched. */
  async metric(name: string): Promise<number> {
    const { text } = await this.telemetry.metrics.expose();
    const line = text.split("\n").find((candidate) => candidate.startsWith(`${name} `));
    return Number(line?.slice(name.length + 1) ?? 0);
  }
}
