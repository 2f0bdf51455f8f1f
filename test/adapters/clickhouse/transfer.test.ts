import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { startChdb } from "../../../src/adapters/chdb/supervisor.ts";
import { Connection } from "../../../src/adapters/clickhouse/connection.ts";
import type { Retention } from "../../../src/adapters/clickhouse/retention.ts";
import { openTimeSeries } from "../../../src/adapters/clickhouse/time-series.ts";
import { TRANSFER_TABLES } from "../../../src/adapters/clickhouse/transfer-tables.ts";
import { systemClock, systemEntropy } from "../../../src/adapters/system/clock.ts";
import { SERIES_TABLES } from "../../../src/ports/time-series.ts";
import { temporaryDirectory } from "../../support/directory.ts";
import { testTelemetry } from "../../support/telemetry.ts";

/** One engine that outlives the time series opened on it, and a way to ask it. */
const engine = async () => {
  const machine = { clock: systemClock, entropy: systemEntropy, telemetry: testTelemetry() };
  const chdb = await startChdb({ directory: join(await temporaryDirectory(), "series"), ...machine });
  onTestFinished(() => chdb.stop());
  const transport = { ...chdb.transport, close: async () => undefined };
  const connection = new Connection({ transport, ...machine }, transport.database);
  onTestFinished(() => connection.close());
  const open = (retention: Retention | null) => openTimeSeries({ transport, retention, ...machine });
  return { connection, open };
};

test("every table and column is carried, made by another one, or known to stay behind", async () => {
  const { connection, open } = await engine();
  await (await open(null)).close();
  const rows = await connection.select(
    z.tuple([z.string(), z.string(), z.string()]),
    "SELECT table, name, default_kind FROM system.columns WHERE database = currentDatabase() ORDER BY table, name",
  );
  const tables = Map.groupBy(rows, ([table]) => table);
  for (const table of SERIES_TABLES) {
    const carried = new Set<string>(TRANSFER_TABLES[table].columns);
    const plain = (tables.get(table) ?? []).filter(([, , kind]) => kind === "").map(([, name]) => name);
    expect(
      plain.filter((name) => !carried.has(name)),
      table,
    ).toEqual([]);
  }
  // Filled by a view · this very database's own.
  const rollups = ["readings_1m_view", "readings_1h_view"];
  const others = ["alerts_by_id", "alerts_by_id_view", "event_sequences", "event_sequences_view", ...rollups];
  const own = ["marks", "schema_migrations"];
  expect([...tables.keys()].sort()).toEqual([...SERIES_TABLES, ...others, ...own].sort());
});

test("limits of age stay as they are unless others are given, and rest while all is kept", async () => {
  const { connection, open } = await engine();
  const limits = async () => {
    const rows = await connection.select(
      z.tuple([z.string()]),
      "SELECT name FROM system.tables WHERE database = currentDatabase() AND create_table_query LIKE '%TTL%' ORDER BY name",
    );
    return rows.map(([name]) => name);
  };
  await (await open({ rawDays: 3_000, minuteDays: null, hourDays: 9_000 })).close();
  expect(await limits()).toEqual(["readings", "readings_1h"]);
  const timeSeries = await open(null);
  expect(await limits()).toEqual(["readings", "readings_1h"]);
  await timeSeries.transfer.keepAll();
  expect(await limits()).toEqual([]);
  await timeSeries.close();
});
