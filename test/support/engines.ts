import { join } from "node:path";
import { onTestFinished } from "vitest";
import { openSqliteControl } from "../../src/adapters/sqlite/open.ts";
import { systemClock, systemEntropy } from "../../src/adapters/system/clock.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { ControlStore } from "../../src/ports/control-store.ts";
import type { EventLog } from "../../src/ports/event-log.ts";
import type { Telemetry } from "../../src/ports/telemetry.ts";
import { temporaryDirectory } from "./directory.ts";
import { openTestLog } from "./lmdb-log.ts";
import { testTelemetry } from "./telemetry.ts";

/** What a worker is started with; real engines in a directory of their own, closed when the test is over. */
export interface TestEngines {
  readonly log: EventLog;
  readonly control: ControlStore;
  readonly clock: typeof systemClock;
  readonly entropy: typeof systemEntropy;
  readonly telemetry: Telemetry;
}

export const openTestControl = async (clock: Clock = systemClock): Promise<ControlStore> => {
  const control = await openSqliteControl({
    path: join(await temporaryDirectory(), "control.sqlite"),
    secretKey: systemEntropy.bytes(32),
    clock,
    entropy: systemEntropy,
    telemetry: testTelemetry(),
  });
  onTestFinished(() => control.close());
  return control;
};

export const openTestEngines = async (
  readingsPartitions = 1,
  logLimits: { readonly maxBytes?: number } = {},
): Promise<TestEngines> => {
  const directory = await temporaryDirectory();
  const log = await openTestLog({ directory, partitions: { readings: readingsPartitions }, ...logLimits });
  onTestFinished(() => log.close());
  const control = await openTestControl();
  return { log, control, clock: systemClock, entropy: systemEntropy, telemetry: testTelemetry() };
};

/** Everything that stands in a topic now, up to its end. */
export const allRecords = async (log: EventLog, topic: Parameters<EventLog["tail"]>[0], partition = 0) => {
  const bounds = (await log.bounds(topic)).find((each) => each.partition === partition);
  const { earliest = 0, end = 0 } = bounds ?? {};
  const stop = new AbortController();
  const records = [];
  if (earliest === end) return [];
  for await (const batch of log.tail(topic, { partition, from: earliest, signal: stop.signal })) {
    records.push(...batch);
    if ((batch.at(-1)?.offset ?? -1) >= end - 1) break;
  }
  stop.abort();
  return records;
};
