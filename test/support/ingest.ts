import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Change } from "../../schemas/change.ts";
import type { AccountId, SourceId } from "../../schemas/common.ts";
import { SourceCreate, type SourcePatch } from "../../schemas/source.ts";
import { openSqliteControl } from "../../src/adapters/sqlite/open.ts";
import { systemClock, systemEntropy } from "../../src/adapters/system/clock.ts";
import { isBlock, type LogRecord } from "../../src/domain/log-record.ts";
import { scanBlock } from "../../src/domain/reading-line.ts";
import { readChange, readEvent, sourceRecord } from "../../src/domain/records.ts";
import { startIngest } from "../../src/ingest/ingest.ts";
import { INGEST_DEFAULTS, type IngestSettings } from "../../src/ingest/settings.ts";
import type { ControlStore, SourceStatus } from "../../src/ports/control-store.ts";
import type { EventLog, Topic } from "../../src/ports/event-log.ts";
import type { RunningWorker } from "../../src/ports/worker.ts";
import { temporaryDirectory } from "./directory.ts";
import { openTestLog } from "./lmdb-log.ts";
import { testTelemetry } from "./telemetry.ts";

/** Every record of a topic, partition by partition. */
export const recordsOf = async (log: EventLog, topic: Topic): Promise<LogRecord[]> => {
  const records: LogRecord[] = [];
  for (const { partition, earliest, end } of await log.bounds(topic)) {
    if (earliest === end) continue;
    const stop = new AbortController();
    for await (const batch of log.tail(topic, { partition, from: earliest, signal: stop.signal })) {
      records.push(...batch);
      if ((batch.at(-1)?.offset ?? 0) + 1 >= end) break;
    }
    stop.abort();
  }
  return records;
};

export interface StoredLine {
  readonly partition: number;
  readonly signalId: string;
  readonly atMs: number;
  readonly strength: number;
}

export const linesOf = (record: LogRecord): StoredLine[] => {
  const lines: StoredLine[] = [];
  scanBlock(record.value, record.appendedAt, {
    line: (block, { start, atMs, strength }) => {
      const signalId = Buffer.from(block.subarray(start, start + 30)).toString("latin1");
      lines.push({ partition: record.partition, signalId, atMs, strength });
    },
    invalid: (_block, _start, _end, index, problem) => {
      throw new Error(`line ${index} of a block is invalid: ${problem}`);
    },
  });
  return lines;
};

/** The real ingest worker on the embedded log and control data, both in a directory of their own. */
export class TestIngest {
  readonly log: EventLog;
  readonly control: ControlStore;
  readonly accountId: AccountId;
  readonly telemetry = testTelemetry();
  readonly #settings: IngestSettings;
  #worker: RunningWorker | null = null;

  private constructor(log: EventLog, control: ControlStore, accountId: AccountId, settings: IngestSettings) {
    this.log = log;
    this.control = control;
    this.accountId = accountId;
    this.#settings = settings;
  }

  static async start(
    options: {
      settings?: Partial<IngestSettings>;
      maxBytes?: number;
      maxSignals?: number;
      wrap?: (log: EventLog) => EventLog;
      wrapControl?: (control: ControlStore) => ControlStore;
    } = {},
  ): Promise<TestIngest> {
    const directory = await temporaryDirectory();
    const machine = { clock: systemClock, entropy: systemEntropy, telemetry: testTelemetry() };
    const log = await openTestLog({
      directory: join(directory, "log"),
      partitions: { readings: 3 },
      ...(options.maxBytes === undefined ? {} : { maxBytes: options.maxBytes }),
    });
    const control = await openSqliteControl({
      ...machine,
      path: join(directory, "control.db"),
      secretKey: systemEntropy.bytes(32),
      ...(options.maxSignals === undefined ? {} : { maxSignals: options.maxSignals }),
    });
    const { id } = await control.accounts.first();
    const settings = { ...INGEST_DEFAULTS, ...options.settings };
    const ingest = new TestIngest(
      options.wrap?.(log) ?? log,
      options.wrapControl?.(control) ?? control,
      id,
      settings,
    );
    onTestFinished(async () => {
      await ingest.stop();
      await control.close();
      await log.close();
    });
    await ingest.restart();
    return ingest;
  }

  get worker(): RunningWorker {
    if (this.#worker === null) throw new Error("the worker is stopped");
    return this.#worker;
  }

  async restart(): Promise<void> {
    await this.stop();
    const { log, control, telemetry } = this;
    const machine = { clock: systemClock, entropy: systemEntropy };
    this.#worker = await startIngest({ log, control, telemetry, ...machine, settings: this.#settings });
  }

  async stop(): Promise<void> {
    await this.#worker?.stop();
    this.#worker = null;
  }

  /** Makes a source and tells topic `sources` of it, as the relay does. */
  async create(input: object): Promise<SourceId> {
    const made = await this.control.sources.create(
      this.accountId,
      SourceCreate.parse({ name: "test", ...input }),
    );
    if (!made.ok) throw new Error(made.reason);
    await this.log.append("sources", [sourceRecord(made.value.id, made.value.revision)]);
    return made.value.id;
  }

  async change(id: SourceId, patch: SourcePatch): Promise<void> {
    const changed = await this.control.sources.update(this.accountId, id, patch);
    if (!changed.ok) throw new Error(changed.reason);
    await this.log.append("sources", [sourceRecord(id, changed.value.revision)]);
  }

  async remove(id: SourceId): Promise<void> {
    await this.control.sources.remove(this.accountId, id);
    await this.log.append("sources", [sourceRecord(id, null)]);
  }

  async lines(): Promise<StoredLine[]> {
    return (await recordsOf(this.log, "readings")).filter(isBlock).flatMap(linesOf);
  }

  async changes(): Promise<Change[]> {
    const records = await recordsOf(this.log, "readings");
    return records.filter(({ headers }) => headers.kind === "change").map(readChange);
  }

  /** Signals that a block names before any change in its partition has told of them: there must be none. */
  async undefinedSignals(): Promise<string[]> {
    const told = new Set<string>();
    const missing: string[] = [];
    for (const record of await recordsOf(this.log, "readings")) {
      if (isBlock(record))
        missing.push(...linesOf(record).flatMap(({ signalId }) => (told.has(signalId) ? [] : signalId)));
      else if (record.headers.kind === "change") {
        const change = readChange(record);
        if (change.type === "signal") told.add(change.signal.id);
      }
    }
    return missing;
  }

  /** Events of sources, each as `kind` or `kind: reason`. */
  async events(): Promise<string[]> {
    const events = (await recordsOf(this.log, "events")).map((record) => readEvent(record).event);
    return events.map(
      ({ event, data }) => event + (data.source?.reason == null ? "" : `: ${data.source.reason}`),
    );
  }

  /** The names under which events show sources. */
  async sourceNames(): Promise<string[]> {
    const events = (await recordsOf(this.log, "events")).map((record) => readEvent(record).event);
    return events.flatMap(({ data }) => data.source?.name ?? []);
  }

  async status(id: SourceId): Promise<SourceStatus | null> {
    return this.control.sources.status(id);
  }

  async rejections(id: SourceId) {
    const page = await this.control.sources.rejections(this.accountId, id, { limit: 500 });
    return page?.items ?? [];
  }

  async metric(name: string): Promise<number> {
    const { text } = await this.telemetry.metrics.expose();
    const line = text.split("\n").find((row) => row.startsWith(`${name} `) || row.startsWith(`${name}{`));
    return line === undefined ? 0 : Number(line.slice(line.lastIndexOf(" ")));
  }
}
