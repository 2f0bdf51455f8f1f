import type { TimeSeries } from "../../ports/time-series.ts";
import { selectAlert, selectAlertEvents, selectFiringAlerts, selectResolvedAlerts } from "./alert-queries.ts";
import { Connection, type ConnectionOptions } from "./connection.ts";
import { countHours } from "./counted-hours.ts";
import {
  selectEvents,
  selectEventsEnd,
  selectLastEvents,
  selectLastSequences,
  selectNewestEvents,
  selectPosition,
} from "./event-queries.ts";
import { EVENT_COLUMNS, encodeEventRows } from "./event-rows.ts";
import { exactlyOnce, onceById } from "./exactly-once.ts";
import { hasMark, insertMark } from "./marks.ts";
import { createDatabase, migrate } from "./migrations.ts";
import { encodeReadings, READING_COLUMNS } from "./native-readings.ts";
import { tryAgainAfterRaces } from "./races.ts";
import { selectReadingLines } from "./reading-lines.ts";
import { selectBuckets, selectCounts, selectRawReadings } from "./reading-queries.ts";
import { applyRetention, KEEP_FOR_EVER, type Retention } from "./retention.ts";
import { selectGaps, selectStatistics } from "./statistics-queries.ts";
import { createSeriesTransfer } from "./transfer.ts";

export interface TimeSeriesOptions extends ConnectionOptions {
  /** Default: everything is kept for ever; null: for as long as it was. */
  readonly retention?: Retention | null;
}

const prepare = async (connection: Connection, options: TimeSeriesOptions): Promise<void> => {
  const { transport, retention = KEEP_FOR_EVER } = options;
  const { database } = transport;
  const cluster = transport.cluster && { name: transport.cluster.name, database };
  const outside = new Connection(options, "default");
  try {
    await createDatabase(outside, database, cluster);
  } finally {
    await outside.close();
  }
  await migrate(connection, cluster);
  if (retention !== null) await applyRetention(connection, retention);
};

/** What a connection offers to the port; `close` closes it and its transport. */
const seriesOn = (
  connection: Connection,
  { entropy }: ConnectionOptions,
  close: () => Promise<void>,
): TimeSeries => {
  return {
    insertReadings: (token, readings, signal) =>
      connection.insert(
        {
          table: "readings",
          columns: READING_COLUMNS,
          format: "Native",
          settings: () => exactlyOnce(token),
          body: encodeReadings(readings),
        },
        signal,
      ),
    insertEvents: (token, rows, signal) =>
      connection.insert(
        {
          table: "events",
          columns: EVENT_COLUMNS,
          format: "TabSeparated",
          settings: () => onceById(token, entropy),
          body: [encodeEventRows(rows)],
        },
        signal,
      ),
    rawReadings: (query) => selectRawReadings(connection, query),
    readingLines: (query, signal) => selectReadingLines(connection, query, signal),
    countHours: (query) => countHours(connection, query),
    statistics: (query) => selectStatistics(connection, query),
    gaps: (query) => selectGaps(connection, query),
    buckets: (query) => selectBuckets(connection, query),
    events: (query) => selectEvents(connection, query),
    alertEvents: (query) => selectAlertEvents(connection, query),
    eventPosition: (accountId, id) => selectPosition(connection, accountId, id),
    lastEvents: (signalIds) => selectLastEvents(connection, signalIds),
    newestEvents: (upTo) => selectNewestEvents(connection, upTo),
    resolvedAlerts: (query) => selectResolvedAlerts(connection, query),
    firingAlerts: (after, limit) => selectFiringAlerts(connection, after, limit),
    alert: (accountId, id) => selectAlert(connection, accountId, id),
    eventsEnd: () => selectEventsEnd(connection),
    lastSequences: (upTo) => selectLastSequences(connection, upTo),
    readingCounts: () => selectCounts(connection),
    mark: (id) => insertMark(connection, id),
    isMarked: (id) => hasMark(connection, id),
    transfer: createSeriesTransfer(connection, entropy),
    health: () => connection.health(),
    close,
  };
};

const connect = (options: ConnectionOptions) => {
  const { transport } = options;
  const connection = new Connection(options, transport.database);
  const close = async () => {
    await connection.close();
    await transport.close();
  };
  return { connection, close };
};

/** On an engine that `openTimeSeries` has prepared. Closing it closes the transport. */
export const connectTimeSeries = (options: ConnectionOptions): TimeSeries => {
  const { connection, close } = connect(options);
  return seriesOn(connection, options, close);
};

/**
 * Readings, rollups and events in ClickHouse, brought to this program's schema. Closing it closes the transport.
 * Throws TimeSeriesUnavailableError or SchemaTooNewError; the transport is then closed.
 */
export const openTimeSeries = async (options: TimeSeriesOptions): Promise<TimeSeries> => {
  const { connection, close } = connect(options);
  try {
    await tryAgainAfterRaces(options, () => prepare(connection, options));
  } catch (error) {
    await close();
    throw error;
  }
  return seriesOn(connection, options, close);
};
