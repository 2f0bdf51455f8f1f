import type { Surroundings } from "../../ports/surroundings.ts";
import type { TimeSeries } from "../../ports/time-series.ts";
import { Connection, type ConnectionOptions } from "./connection.ts";
import type { Retention } from "./retention.ts";
import { checkServer } from "./server-check.ts";
import { type ClickHouseAccess, serverTransport } from "./server-transport.ts";
import { ServerWatch } from "./server-watch.ts";
import { startFailure } from "./start-failures.ts";
import { openTimeSeries } from "./time-series.ts";
import type { ClusterOfReplicas } from "./transport.ts";

const RETRY_FOR_MS = 5_000;
/** What is asked first is answered at once, or there is nobody. */
const CHECK_TIMEOUT_MS = 8_000;

export interface ClickHouseServerOptions extends ClickHouseAccess, Surroundings {
  /** Default: everything is kept for ever; null: for as long as it was. */
  readonly retention?: Retention | null;
  /** For how long a request is tried again while nobody answers, at the start too; default: 5 s. */
  readonly retryForMs?: number;
}

/** As the user comes in, before there is a database of ours. */
const check = async (
  options: ConnectionOptions,
  access: ClickHouseAccess,
): Promise<ClusterOfReplicas | null> => {
  const connection = new Connection({ ...options, requestTimeoutMs: CHECK_TIMEOUT_MS }, "default");
  try {
    return await checkServer(connection, access);
  } finally {
    await connection.close();
  }
};

/**
 * The time series on a ClickHouse server 25.8 or newer, or on a cluster of one shard. The database and its tables are
 * made where they are missing. With a cluster, `url` should lead every process to the same replica while that is up:
 * another one may be some inserts behind. Inserts then wait for most replicas, so with two both must be up.
 * Throws ClickHouseStartError, with what to do about it, or SchemaTooNewError.
 */
export const openClickHouseServer = async (options: ClickHouseServerOptions): Promise<TimeSeries> => {
  const { clock, entropy, telemetry, retention, retryForMs = RETRY_FOR_MS } = options;
  const surroundings = { clock, entropy, telemetry };
  const watch = new ServerWatch(surroundings);
  const outside = serverTransport(options, {
    retryForMs,
    fault: () => watch.fault(),
    answered: () => watch.answered(),
    answeredAt: () => watch.answeredAt(),
    close: () => watch.close(),
  });
  try {
    const cluster = await check({ transport: outside, ...surroundings }, options);
    const transport = { ...outside, ...(cluster === null ? {} : { cluster }) };
    const series = { transport, ...surroundings, ...(retention === undefined ? {} : { retention }) };
    const timeSeries = await openTimeSeries(series);
    watch.start(transport.connection);
    return timeSeries;
  } catch (error) {
    throw startFailure(options, error);
  }
};
