import { startChdb } from "../adapters/chdb/supervisor.ts";
import type { Retention } from "../adapters/clickhouse/retention.ts";
import { openTimeSeries } from "../adapters/clickhouse/time-series.ts";
import { loadSecretKey } from "../adapters/control/secret-key.ts";
import { openLmdbLog } from "../adapters/lmdb/open.ts";
import { openSqliteControl } from "../adapters/sqlite/open.ts";
import type { Config, Role } from "../config/config.ts";
import { ulid } from "../domain/ids.ts";
import type { ControlStore } from "../ports/control-store.ts";
import { type EventLog, GROUPS } from "../ports/event-log.ts";
import type { Surroundings } from "../ports/surroundings.ts";
import type { TimeSeries } from "../ports/time-series.ts";
import { connectionsBesideThreads } from "./connections.ts";
import type { DataDirectory } from "./data-directory.ts";
import { refuseHalfImported } from "./moving/import-fact.ts";
import { openClickHouse, openKafka, openPostgres } from "./servers.ts";
import { StartError } from "./start-error.ts";
import { inTurn } from "./start-lock.ts";
import { succeedLog } from "./succession.ts";

/** Unless PARTITIONS says otherwise: one machine gains nothing from more. */
const EMBEDDED_PARTITIONS = 1;

/** What every worker needs. */
export interface LogAndControl {
  readonly log: EventLog;
  readonly control: ControlStore;
}
export interface Engines extends LogAndControl {
  readonly timeSeries: TimeSeries;
}
/** What a process works on; without a time series where nothing in it reads or writes one. */
export interface ProcessEngines extends LogAndControl {
  readonly timeSeries: TimeSeries | null;
  /** Where other threads reach the embedded time series; null where it is a server. */
  readonly seriesSocket: string | null;
}

/** These start, and are well, while the time series is away. */
const WITHOUT_SERIES: ReadonlySet<Role> = new Set<Role>(["ingest", "evaluate", "deliver"]);
/** One place sets how long rows are kept: the settings of others may lack it. */
const KEEPS_RETENTION: ReadonlySet<Role> = new Set<Role>(["record", "all"]);

/** The directory of an engine that is embedded: there is one as soon as any is. */
const inside = (directory: DataDirectory | null): DataDirectory => {
  if (directory === null) throw new Error("an embedded engine without a data directory");
  return directory;
};

const openLog = (
  directory: DataDirectory | null,
  config: Config,
  surroundings: Surroundings,
): Promise<EventLog> => {
  const { engines, PARTITIONS, LOG_MAX_BYTES: maxBytes } = config;
  if (engines.kafka !== null) return openKafka(engines.kafka, config, surroundings);
  const partitions = { readings: PARTITIONS ?? EMBEDDED_PARTITIONS };
  return openLmdbLog({ directory: inside(directory).log, partitions, maxBytes, ...surroundings });
};

const retentionOf = (config: Config): Retention => ({
  rawDays: config.RETENTION_RAW_DAYS ?? null,
  minuteDays: config.RETENTION_1M_DAYS ?? null,
  hourDays: config.RETENTION_1H_DAYS ?? null,
});

interface OpenSeries {
  readonly timeSeries: TimeSeries;
  readonly socketPath: string | null;
  close(): Promise<void>;
}

const openSeries = async (
  directory: DataDirectory | null,
  { engines: { clickHouse } }: Config,
  surroundings: Surroundings,
  retention: Retention | null,
): Promise<OpenSeries> => {
  if (clickHouse !== null) {
    const timeSeries = await openClickHouse(clickHouse, retention, surroundings);
    return { timeSeries, socketPath: null, close: () => timeSeries.close() };
  }
  const { transport, socketPath } = await startChdb({
    directory: inside(directory).timeSeries,
    ...surroundings,
  });
  const timeSeries = await openTimeSeries({ transport, retention, ...surroundings });
  return { timeSeries, socketPath, close: () => timeSeries.close() };
};

const openControl = async (
  directory: DataDirectory | null,
  config: Config,
  surroundings: Surroundings,
): Promise<ControlStore> => {
  const { MAX_SIGNALS: maxSignals, MAX_RULES: maxRules, engines } = config;
  if (engines.postgres !== null) return openPostgres(engines.postgres, config, surroundings);
  const { controlFile: path, secretKeyFile } = inside(directory);
  const secretKey = config.SECRET_KEY ?? (await loadSecretKey(secretKeyFile, surroundings.entropy));
  return openSqliteControl({ path, secretKey, maxSignals, maxRules, ...surroundings });
};

const together = (directory: DataDirectory | null): string => {
  const where = directory === null ? "The engines" : `The engines and ${directory.path}`;
  return `${where} belong together: put back a copy of all of them, or begin with an empty DATA_DIR, other topics and another database.`;
};

/**
 * Copies of different times: recording would leave a range out, or store one again that control data forgot. Other
 * processes may be at work meanwhile: what only grows is asked for before what it must not exceed.
 */
const checkSameTime = async ({ log, control }: LogAndControl, advice: string): Promise<void> => {
  for (const topic of ["readings", "events"] as const) {
    const committed = await log.committed(GROUPS.record, topic);
    const done = new Map<number, number>();
    for (let partition = 0; partition < log.partitions(topic); partition++)
      done.set(partition, (await control.recordProgress.read(log.logId, topic, partition)).done);
    for (const { partition, end } of await log.bounds(topic)) {
      const recorded = done.get(partition) ?? 0;
      const behind = (committed.get(partition) ?? 0) > recorded;
      const older = recorded > end ? "event log" : behind ? "control data" : null;
      if (older !== null) throw new StartError(`The ${older} is older than the rest.\n${advice}`);
    }
  }
};

export const MARK = "time_series_mark";

/** What is recorded is recorded for ever: a time series that lacks the mark of the last start lacks readings, too. */
const checkMark = async (
  { control, timeSeries }: Engines,
  { clock, entropy }: Surroundings,
  advice: string,
): Promise<void> => {
  const last = await control.facts.get(MARK);
  if (last !== null && !(await timeSeries.isMarked(last)))
    throw new StartError(`The time series is older than the rest.\n${advice}`);
  const mark = ulid(clock.now(), entropy.bytes(10));
  await timeSeries.mark(mark);
  await control.facts.set(MARK, mark);
};

/**
 * Opens the three engines side by side, unchecked; when one cannot be, those that could are closed again. `retention`
 * null: the time series' limits of age stay as they are.
 */
export const openAll = async (
  directory: DataDirectory | null,
  config: Config,
  surroundings: Surroundings,
  retention: Retention | null,
): Promise<Engines & ProcessEngines> => {
  const opening = [
    openLog(directory, config, surroundings),
    openControl(directory, config, surroundings),
    openSeries(directory, config, surroundings, retention),
  ] as const;
  const [log, control, { timeSeries, socketPath }] = await allOrNone(opening);
  return { log, control, timeSeries, seriesSocket: socketPath };
};

const openLogAndControl = async (
  directory: DataDirectory | null,
  config: Config,
  surroundings: Surroundings,
): Promise<LogAndControl> => {
  const [log, control] = await allOrNone([
    openLog(directory, config, surroundings),
    openControl(directory, config, surroundings),
  ] as const);
  return { log, control };
};

/** All of them, or none: those that could be opened are closed again. */
const allOrNone = async <T extends readonly Promise<{ close(): Promise<void> }>[]>(
  opening: T,
): Promise<{ -readonly [I in keyof T]: Awaited<T[I]> }> => {
  try {
    return await Promise.all(opening);
  } catch (error) {
    for (const opened of await Promise.allSettled(opening)) {
      if (opened.status === "fulfilled") await opened.value.close();
    }
    throw error;
  }
};

/** Sees to it that opened engines belong together; gives them as the workers are to use them. Throws StartError. */
export const joinEngines = <Opened extends Engines>(
  opened: Opened,
  directory: DataDirectory | null,
  surroundings: Surroundings,
): Promise<Opened & LogAndControl> =>
  inTurn(opened.control, surroundings, async (lost) => {
    await refuseHalfImported(opened.control);
    const log = await succeedLog(
      opened,
      async () => opened.timeSeries,
      surroundings,
      together(directory),
      lost,
    );
    const engines = { ...opened, log };
    await checkSameTime(engines, together(directory));
    await checkMark(engines, surroundings, together(directory));
    return engines;
  });

/** As `joinEngines`, with the time series opened only for a new log, which begins with what is stored there. */
const joinWithoutSeries = (
  opened: LogAndControl,
  openSeries: () => Promise<TimeSeries>,
  directory: DataDirectory | null,
  surroundings: Surroundings,
): Promise<ProcessEngines> =>
  inTurn(opened.control, surroundings, async (lost) => {
    await refuseHalfImported(opened.control);
    let timeSeries: TimeSeries | null = null;
    const open = async () => {
      timeSeries = await openSeries();
      return timeSeries;
    };
    try {
      const log = await succeedLog(opened, open, surroundings, together(directory), lost);
      await checkSameTime({ ...opened, log }, together(directory));
      return { ...opened, log, timeSeries: null, seriesSocket: null };
    } finally {
      await (timeSeries as TimeSeries | null)?.close();
    }
  });

/** The threads of a process that runs all workers have connections of their own. */
const sharedConfig = (config: Config, role: Role): Config => {
  const { postgres } = config.engines;
  if (role !== "all" || postgres === null) return config;
  return { ...config, engines: { ...config.engines, postgres: connectionsBesideThreads(postgres) } };
};

/** Opens the engines that the role needs of those that the configuration names, checked. */
export const openEngines = async (
  directory: DataDirectory | null,
  given: Config,
  surroundings: Surroundings,
  role: Role,
): Promise<ProcessEngines> => {
  const config = sharedConfig(given, role);
  const retention = KEEPS_RETENTION.has(role) ? retentionOf(config) : null;
  if (WITHOUT_SERIES.has(role)) {
    const pair = await openLogAndControl(directory, config, surroundings);
    const series = async () => (await openSeries(directory, config, surroundings, retention)).timeSeries;
    return closedWhenRefused({ ...pair, timeSeries: null, seriesSocket: null }, () =>
      joinWithoutSeries(pair, series, directory, surroundings),
    );
  }
  const opened = await openAll(directory, config, surroundings, retention);
  return closedWhenRefused(opened, () => joinEngines(opened, directory, surroundings));
};

const closedWhenRefused = async <T>(opened: ProcessEngines, join: () => Promise<T>): Promise<T> => {
  try {
    return await join();
  } catch (error) {
    await closeEngines(opened);
    throw error;
  }
};

/** Closes the log last: the others may still be telling it how far they are. */
export const closeEngines = async ({
  log,
  control,
  timeSeries,
}: Omit<ProcessEngines, "seriesSocket">): Promise<void> => {
  await timeSeries?.close();
  await control.close();
  await log.close();
};
