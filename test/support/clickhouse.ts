import { randomUUID } from "node:crypto";
import { afterAll } from "vitest";
import { type ClickHouseServerOptions, openClickHouseServer } from "../../src/adapters/clickhouse/server.ts";
import type { ClickHouseAccess } from "../../src/adapters/clickhouse/server-transport.ts";
import { systemClock, systemEntropy } from "../../src/adapters/system/clock.ts";
import type { TimeSeries } from "../../src/ports/time-series.ts";
import { ClickHouseContainer } from "./clickhouse-docker.ts";
import { ChdbServer, CLICKHOUSE_LOGIN, type TestClickHouse } from "./clickhouse-server.ts";
import { dockerWorks } from "./container.ts";
import { testTelemetry } from "./telemetry.ts";

/** A server that tests may kill: in a container where Docker works, else the embedded engine on a port. */
export const ownClickHouse = async (): Promise<TestClickHouse> =>
  (await dockerWorks()) ? ClickHouseContainer.make() : ChdbServer.make();

/** One for the tests of a file. Call it at the file's top. */
export const clickHouseToKill = async (): Promise<TestClickHouse> => {
  const server = await ownClickHouse();
  afterAll(() => server.remove());
  return server;
};

export const accessTo = (
  { url, cluster = null }: Pick<TestClickHouse, "url"> & Partial<TestClickHouse>,
  changes: Partial<ClickHouseAccess> = {},
): ClickHouseAccess => ({
  url,
  ...CLICKHOUSE_LOGIN,
  database: "signals",
  cluster,
  ca: null,
  ...changes,
});

/** The server of CLICKHOUSE_URL, and a database of its own for the tests of a file; null where none is given. */
export const givenClickHouse = (): ClickHouseAccess | null => {
  const { CLICKHOUSE_URL, CLICKHOUSE_USER, CLICKHOUSE_PASSWORD, CLICKHOUSE_CLUSTER } = process.env;
  if (!CLICKHOUSE_URL) return null;
  return accessTo(
    { url: CLICKHOUSE_URL },
    {
      user: CLICKHOUSE_USER ?? "default",
      password: CLICKHOUSE_PASSWORD ?? "",
      database: `test_${randomUUID().slice(0, 8)}`,
      cluster: CLICKHOUSE_CLUSTER ?? null,
    },
  );
};

/** Nothing of a test stays behind on somebody else's server. */
export const dropDatabase = async ({
  url,
  user,
  password,
  database,
  cluster,
}: ClickHouseAccess): Promise<void> => {
  const everywhere = cluster === null ? "" : ` ON CLUSTER \`${cluster}\``;
  const headers = { "X-ClickHouse-User": user, "X-ClickHouse-Key": password };
  await fetch(url, {
    method: "POST",
    headers,
    body: `DROP DATABASE IF EXISTS ${database}${everywhere} SYNC`,
  });
};

/** The time series on a server, with what the test does not name as it is in production. */
export const openTestServer = (
  access: ClickHouseAccess,
  options: Partial<ClickHouseServerOptions> = {},
): Promise<TimeSeries> =>
  openClickHouseServer({
    ...access,
    clock: systemClock,
    entropy: systemEntropy,
    telemetry: testTelemetry(),
    ...options,
  });
