import { join } from "node:path";
import type { SignalServiceEvent } from "../../schemas/event.ts";
import { startChdb } from "../../src/adapters/chdb/supervisor.ts";
import { openTimeSeries } from "../../src/adapters/clickhouse/time-series.ts";
import { openLmdbLog } from "../../src/adapters/lmdb/open.ts";
import { systemClock, systemEntropy } from "../../src/adapters/system/clock.ts";
import { PartitionEvaluation } from "../../src/domain/evaluation/evaluation.ts";
import { isBlock, type LogRecord } from "../../src/domain/log-record.ts";
import { scanBlock } from "../../src/domain/reading-line.ts";
import { type AddressedEvent, readEvent } from "../../src/domain/records.ts";
import type { EventLog, Topic } from "../../src/ports/event-log.ts";
import type { TimeSeries } from "../../src/ports/time-series.ts";
import { testTelemetry } from "./telemetry.ts";

export interface WhatIsKept {
  /** `accepted`: valid lines in topic `readings`; the others are ClickHouse's. */
  readonly counts: { accepted: number; raw: number; minute: number; hour: number };
  /** As ClickHouse keeps them, in their order. */
  readonly events: SignalServiceEvent[];
  /** What folding the whole log once more, from its first record, tells. */
  readonly replayed: SignalServiceEvent[];
}

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

const validLines = (record: LogRecord): number => {
  let lines = 0;
  if (isBlock(record)) {
    scanBlock(record.value, record.appendedAt, { line: () => lines++, invalid: () => undefined });
  }
  return lines;
};

const foldAll = async (log: EventLog): Promise<{ accepted: number; replayed: SignalServiceEvent[] }> => {
  let accepted = 0;
  const replayed: SignalServiceEvent[] = [];
  const sink = {
    event: ({ event }: AddressedEvent) => replayed.push(event),
    deadLetter: () => undefined,
    probeAnswer: () => undefined,
  };
  const partitions = log.partitions("readings");
  for (let partition = 0; partition < partitions; partition++) {
    const evaluation = new PartitionEvaluation({ logId: log.logId, partition, partitions });
    for await (const record of records(log, "readings", partition)) {
      accepted += validLines(record);
      evaluation.apply(record, sink);
    }
  }
  return { accepted, replayed };
};

const allEvents = async (log: EventLog, timeSeries: TimeSeries): Promise<SignalServiceEvent[]> => {
  const accounts = new Set<AddressedEvent["accountId"]>();
  for await (const record of records(log, "events", 0)) accounts.add(readEvent(record).accountId);
  const events: SignalServiceEvent[] = [];
  for (const accountId of accounts) {
    const rows = await timeSeries.events({ accountId, limit: 1_000_000 });
    events.push(...rows.map(({ event }) => event).filter(({ sequence }) => sequence !== null));
  }
  return events;
};

/** Opens the engines of a stopped service with LOG_TRIM=false, and counts what they hold. */
export const readDataDirectory = async (
  directory: string,
  partitions: Partial<Record<Topic, number>>,
): Promise<WhatIsKept> => {
  const surroundings = { clock: systemClock, entropy: systemEntropy, telemetry: testTelemetry() };
  const log = await openLmdbLog({
    directory: join(directory, "log"),
    partitions,
    maxBytes: 2 ** 40,
    ...surroundings,
  });
  const { transport } = await startChdb({ directory: join(directory, "time-series"), ...surroundings });
  const timeSeries = await openTimeSeries({ transport, ...surroundings });
  try {
    const { accepted, replayed } = await foldAll(log);
    const counts = { accepted, ...(await timeSeries.readingCounts()) };
    return { counts, events: await allEvents(log, timeSeries), replayed };
  } finally {
    await timeSeries.close();
    await log.close();
  }
};
