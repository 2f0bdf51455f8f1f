import { join } from "node:path";
import type { SignalServiceEvent } from "../../schemas/event.ts";
import { loadSecretKey } from "../../src/adapters/control/secret-key.ts";
import { openLmdbLog } from "../../src/adapters/lmdb/open.ts";
import { openSqliteControl } from "../../src/adapters/sqlite/open.ts";
import { systemClock, systemEntropy } from "../../src/adapters/system/clock.ts";
import { PartitionEvaluation } from "../../src/domain/evaluation/evaluation.ts";
import { isBlock, type LogRecord } from "../../src/domain/log-record.ts";
import { SIGNAL_ID_LENGTH, scanBlock } from "../../src/domain/reading-line.ts";
import type { AddressedEvent } from "../../src/domain/records.ts";
import type { EventLog, Topic } from "../../src/ports/event-log.ts";
import type { TimeSeries } from "../../src/ports/time-series.ts";
import { openChdb } from "./chdb.ts";
import { testTelemetry } from "./telemetry.ts";

export interface WhatIsKept {
  /** `counted`: readings accepted, as the sources' statuses say; the others are ClickHouse's. */
  readonly counts: { counted: number; raw: number; minute: number; hour: number };
  /** Those of signals, as ClickHouse keeps them, in their order. */
  readonly events: SignalServiceEvent[];
}

/** What the log holds; with records trimmed away there is nothing to be learnt from the rest. */
export interface WhatWasLogged {
  /** How many records of topic `readings` are gone. */
  readonly trimmed: number;
  /** Valid lines in topic `readings`. */
  readonly accepted: number;
  /** The same by signal. */
  readonly sums: ReadonlyMap<string, Sum>;
  /** What folding the whole log once more, from its first record, tells. */
  readonly replayed: SignalServiceEvent[];
}

const surroundings = { clock: systemClock, entropy: systemEntropy, telemetry: testTelemetry() };

/** The records of a partition that stand in the log now. */
async function* records(log: EventLog, topic: Topic, partition: number): AsyncGenerator<LogRecord> {
  const bounds = (await log.bounds(topic)).find((each) => each.partition === partition);
  if (bounds === undefined || bounds.end === bounds.earliest) return;
  const stop = new AbortController();
  for await (const batch of log.tail(topic, { partition, from: 0, signal: stop.signal })) {
    yield* batch;
    if ((batch.at(-1)?.offset ?? 0) >= bounds.end - 1) return;
  }
}

/** What a signal's readings come to: two sets of readings that differ differ in one of these. */
export interface Sum {
  count: number;
  /** Of the strengths. */
  dbm: number;
}

/** Told of every valid line of topic `readings`. */
type SeeReading = (signalId: string, atMs: number) => void;

const addReadings = (record: LogRecord, sums: Map<string, Sum>, see: SeeReading): void => {
  if (!isBlock(record)) return;
  scanBlock(record.value, record.appendedAt, {
    line: (block, { start, atMs, strength }) => {
      const id = Buffer.from(block.buffer, block.byteOffset + start, SIGNAL_ID_LENGTH).toString("latin1");
      const sum = sums.get(id) ?? { count: 0, dbm: 0 };
      sum.count++;
      sum.dbm += Math.fround(strength);
      sums.set(id, sum);
      see(id, atMs);
    },
    invalid: () => undefined,
  });
};

/** Folds the records of a log, each partition's in their order and from its first: the undisturbed reader. */
export class LogFold {
  readonly #evaluations: readonly PartitionEvaluation[];
  readonly #see: SeeReading;
  readonly sums = new Map<string, Sum>();
  readonly replayed: SignalServiceEvent[] = [];
  readonly #sink = {
    event: ({ event }: AddressedEvent) => this.replayed.push(event),
    deadLetter: () => undefined,
    probeAnswer: () => undefined,
    pendingAnswer: () => undefined,
  };

  constructor(log: EventLog, see: SeeReading = () => undefined) {
    const partitions = log.partitions("readings");
    this.#see = see;
    this.#evaluations = Array.from(
      { length: partitions },
      (_, partition) => new PartitionEvaluation({ logId: log.logId, partition, partitions }),
    );
  }

  apply(partition: number, record: LogRecord): void {
    addReadings(record, this.sums, this.#see);
    this.#evaluations[partition]?.apply(record, this.#sink);
  }

  get accepted(): number {
    return [...this.sums.values()].reduce((all, { count }) => all + count, 0);
  }
}

/** Records of `readings` that are gone. */
export const trimmedOf = async (log: EventLog): Promise<number> =>
  (await log.bounds("readings")).reduce((sum, { earliest }) => sum + earliest, 0);

/** Reads a log that nothing is appended to any more. */
const foldAll = async (log: EventLog): Promise<WhatWasLogged> => {
  const trimmed = await trimmedOf(log);
  const fold = new LogFold(log);
  for (let partition = 0; partition < log.partitions("readings"); partition++)
    for await (const record of records(log, "readings", partition)) fold.apply(partition, record);
  const { accepted, sums, replayed } = fold;
  return { trimmed, accepted, sums, replayed };
};

/** Reads the log of a stopped service, from its first record with LOG_TRIM=false. */
export const readLog = async (
  directory: string,
  partitions: Partial<Record<Topic, number>> = {},
): Promise<WhatWasLogged> => {
  const path = join(directory, "log");
  const log = await openLmdbLog({ directory: path, partitions, maxBytes: 2 ** 40, ...surroundings });
  try {
    return await foldAll(log);
  } finally {
    await log.close();
  }
};

/** What the one account of a stopped service owns, and how many readings its sources say they brought. */
const readControl = async (directory: string) => {
  const control = await openSqliteControl({
    path: join(directory, "control.db"),
    secretKey: await loadSecretKey(join(directory, "secret.key"), systemEntropy),
    ...surroundings,
  });
  try {
    const { id } = await control.accounts.first();
    const { items } = await control.sources.list(id, { limit: 100 });
    return { id, counted: items.reduce((sum, { status }) => sum + status.counters.readings, 0) };
  } finally {
    await control.close();
  }
};

const withTimeSeries = async <T>(
  directory: string,
  read: (timeSeries: TimeSeries) => Promise<T>,
): Promise<T> => {
  const { timeSeries } = await openChdb(join(directory, "time-series"));
  try {
    return await read(timeSeries);
  } finally {
    await timeSeries.close();
  }
};

/** Reads what a stopped service has stored beside its log. */
export const readStored = async (directory: string): Promise<WhatIsKept> => {
  const { id, counted } = await readControl(directory);
  return await withTimeSeries(directory, async (timeSeries) => {
    const rows = await timeSeries.events({ accountId: id, limit: 1_000_000 });
    const events = rows.map(({ event }) => event).filter(({ sequence }) => sequence !== null);
    return { counts: { counted, ...(await timeSeries.readingCounts()) }, events };
  });
};

const EVER = { fromMs: 0, toMs: Date.UTC(2100, 0, 1), limit: 1_000_000, skipAtFrom: 0 };

/** Times of the readings stored of each signal that has events, oldest first. */
export const readTimes = async (directory: string, { events }: WhatIsKept): Promise<number[][]> => {
  const signals = new Set(events.flatMap(({ data }) => data.signal?.id ?? []));
  return await withTimeSeries(directory, async (timeSeries) => {
    const times: number[][] = [];
    for (const signalId of signals) {
      const readings = await timeSeries.rawReadings({ signalId, ...EVER });
      times.push(readings.map(({ atMs }) => atMs));
    }
    return times;
  });
};
