import { startChdb } from "../adapters/chdb/supervisor.ts";
import { openTimeSeries } from "../adapters/clickhouse/time-series.ts";
import { loadSecretKey } from "../adapters/control/secret-key.ts";
import { openLmdbLog } from "../adapters/lmdb/open.ts";
import { openSqliteControl } from "../adapters/sqlite/open.ts";
import type { Config } from "../config/config.ts";
import type { ControlStore } from "../ports/control-store.ts";
import { type EventLog, GROUPS } from "../ports/event-log.ts";
import type { Surroundings } from "../ports/surroundings.ts";
import type { TimeSeries } from "../ports/time-series.ts";
import type { DataDirectory } from "./data-directory.ts";
import { StartError } from "./start-error.ts";

const EMBEDDED_PARTITIONS = 1;

export interface Engines {
  readonly log: EventLog;
  readonly control: ControlStore;
  readonly timeSeries: TimeSeries;
}

const openTimeSeriesChild = async (
  directory: string,
  config: Config,
  surroundings: Surroundings,
): Promise<TimeSeries> => {
  const { transport } = await startChdb({ directory, ...surroundings });
  const retention = {
    rawDays: config.RETENTION_RAW_DAYS ?? null,
    minuteDays: config.RETENTION_1M_DAYS ?? null,
    hourDays: config.RETENTION_1H_DAYS ?? null,
  };
  return openTimeSeries({ transport, retention, ...surroundings });
};

const openControl = async (
  directory: DataDirectory,
  config: Config,
  surroundings: Surroundings,
): Promise<ControlStore> => {
  const secretKey = config.SECRET_KEY ?? (await loadSecretKey(directory.secretKeyFile, surroundings.entropy));
  return openSqliteControl({
    path: directory.controlFile,
    secretKey,
    maxSignals: config.MAX_SIGNALS,
    ...surroundings,
  });
};

const together = (directory: DataDirectory): string =>
  `The parts of ${directory.path} belong together: put back a copy of all of it, or start with an empty DATA_DIR.`;

/** A log that is not the one control data remembers would be evaluated as if it were: it is refused instead. */
const checkLogId = async ({ log, control }: Engines, directory: DataDirectory): Promise<void> => {
  const remembered = await control.facts.ensure("log_id", log.logId);
  if (remembered === log.logId) return;
  throw new StartError(
    `The event log is ${log.logId}, but control data was kept beside the log ${remembered}.\n${together(directory)}`,
  );
};

/** Copies of different times: recording would leave a range out, or store one again that control data forgot. */
const checkSameTime = async ({ log, control }: Engines, directory: DataDirectory): Promise<void> => {
  for (const topic of ["readings", "events"] as const) {
    const committed = await log.committed(GROUPS.record, topic);
    for (const { partition, end } of await log.bounds(topic)) {
      const { done } = await control.recordProgress.read(log.logId, topic, partition);
      const older = done > end ? "event log" : (committed.get(partition) ?? 0) > done ? "control data" : null;
      if (older !== null)
        throw new StartError(`The ${older} is older than the rest.\n${together(directory)}`);
    }
  }
};

/** Opens the three embedded engines side by side; when one cannot be, those that could are closed again. */
export const openEmbedded = async (
  directory: DataDirectory,
  config: Config,
  surroundings: Surroundings,
): Promise<Engines> => {
  const partitions = { readings: config.PARTITIONS ?? EMBEDDED_PARTITIONS };
  const opening = [
    openLmdbLog({ directory: directory.log, partitions, maxBytes: config.LOG_MAX_BYTES, ...surroundings }),
    openControl(directory, config, surroundings),
    openTimeSeriesChild(directory.timeSeries, config, surroundings),
  ] as const;
  try {
    const [log, control, timeSeries] = await Promise.all(opening);
    const engines = { log, control, timeSeries };
    await checkLogId(engines, directory);
    await checkSameTime(engines, directory);
    return engines;
  } catch (error) {
    for (const opened of await Promise.allSettled(opening)) {
      if (opened.status === "fulfilled") await opened.value.close();
    }
    throw error;
  }
};

/** Closes the log last: the others may still be telling it how far they are. */
export const closeEngines = async ({ log, control, timeSeries }: Engines): Promise<void> => {
  await timeSeries.close();
  await control.close();
  await log.close();
};
