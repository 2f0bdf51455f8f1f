import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { AlertData } from "../../../schemas/alert.ts";
import { SilenceId } from "../../../schemas/common.ts";
import { type Chdb, startChdb } from "../../../src/adapters/chdb/supervisor.ts";
import { Connection } from "../../../src/adapters/clickhouse/connection.ts";
import { selectLastSequences } from "../../../src/adapters/clickhouse/event-queries.ts";
import { EVENT_COLUMNS, encodeEventRows } from "../../../src/adapters/clickhouse/event-rows.ts";
import { exactlyOnce } from "../../../src/adapters/clickhouse/exactly-once.ts";
import { migrate, SchemaTooNewError } from "../../../src/adapters/clickhouse/migrations.ts";
import { applyRetention, KEEP_FOR_EVER } from "../../../src/adapters/clickhouse/retention.ts";
import { systemClock, systemEntropy } from "../../../src/adapters/system/clock.ts";
import type { EventRow } from "../../../src/ports/time-series.ts";
import { accountId, event, signalId } from "../../support/rows.ts";
import { testTelemetry } from "../../support/telemetry.ts";

let directory: string;
let chdb: Chdb;
let connection: Connection;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "sos-"));
  const machine = { clock: systemClock, entropy: systemEntropy, telemetry: testTelemetry() };
  chdb = await startChdb({ directory, ...machine });
  connection = new Connection({ transport: chdb.transport, ...machine }, chdb.transport.database);
});
afterAll(async () => {
  await connection.close();
  await chdb.stop();
  await rm(directory, { recursive: true, force: true });
});

const versions = () =>
  connection.select(z.tuple([z.number()]), "SELECT version FROM schema_migrations ORDER BY version");
const tableText = async (table: string): Promise<string> => {
  const rows = await connection.select(
    z.tuple([z.string(), z.string()]),
    "SELECT create_table_query, toString(metadata_modification_time) FROM system.tables WHERE name = {table:String}",
    { table },
  );
  return rows.flat().join(" ");
};

test("each migration is applied once, also when two programs start at the same time", async () => {
  await Promise.all([migrate(connection), migrate(connection)]);
  const applied = await versions();
  expect(applied.length).toBeGreaterThan(1);
  expect(applied.map(([version]) => version)).toEqual(applied.map((_, i) => i + 1));
  await migrate(connection);
  expect(await versions()).toEqual(applied);
});

test("every table that is inserted into under tokens has a window and writes through to the disk", async () => {
  for (const table of ["readings", "readings_1m", "readings_1h", "events"]) {
    const text = await tableText(table);
    expect(text).toMatch(/non_replicated_deduplication_window = [1-9]\d{4}/);
    expect(Number(/replicated_deduplication_window_seconds = (\d+)/.exec(text)?.[1])).toBeGreaterThanOrEqual(
      604_800,
    );
    expect(text).toContain("fsync_after_insert = 1, fsync_part_directory = 1");
  }
});

const forgetSequences = async () => {
  await connection.command("DROP VIEW event_sequences_view");
  await connection.command("DROP TABLE event_sequences");
  await connection.command(
    "ALTER TABLE schema_migrations DELETE WHERE version = 3 SETTINGS mutations_sync = 2",
  );
};
const insertEvent = (token: string, position: number, signal: number, sequence: number) => {
  const stands = { position, accountId: accountId(1), signalId: signalId(signal) };
  const what = event(position, { kind: "signal.updated", at: Date.UTC(2026, 0, 1), sequence });
  const body = [encodeEventRows([{ ...stands, event: what }])];
  return connection.insert({
    table: "events",
    columns: EVENT_COLUMNS,
    format: "TabSeparated",
    settings: () => exactlyOnce(token),
    body,
  });
};
interface StoredAlert {
  readonly isOver: boolean;
  readonly firedAt: number;
  readonly silencedBy?: SilenceId;
}
const alertRow = (nth: number, { isOver, firedAt, silencedBy }: StoredAlert): EventRow => {
  const alert = AlertData.parse({
    id: `alr_${"0".repeat(26)}`,
    ruleId: `rul_${"0".repeat(26)}`,
    ruleName: "weak",
    severity: "warning",
    state: isOver ? "resolved" : "firing",
    firedAt: new Date(firedAt).toISOString(),
    resolvedAt: isOver ? new Date(firedAt + 1).toISOString() : null,
    value: -90,
    limit: -80,
  });
  const kind = isOver ? "alert.resolved" : "alert.firing";
  const data = { alert, ...(silencedBy === undefined ? {} : { silencedBy }) };
  const what = event(100 + nth, { kind, at: Date.UTC(2026, 0, 31), sequence: nth + 1, data });
  return { position: 100 + nth, accountId: accountId(1), signalId: signalId(3), event: what };
};
const lastSequences = async (upTo: number) => {
  const last = await selectLastSequences(connection, upTo);
  return [last.get(signalId(1)), last.get(signalId(2))];
};

test("how far signals have come is also known of events stored before that was kept", async () => {
  await forgetSequences();
  await insertEvent("before", 1, 1, 1);
  await migrate(connection);
  await insertEvent("after", 2, 2, 1);
  await insertEvent("later", 3, 1, 2);
  expect(await lastSequences(3)).toEqual([1, 1]);
  expect(await lastSequences(4)).toEqual([2, 1]);
});

test("an insert that broke off before it was noted how far its signals have come notes it when sent again", async () => {
  await insertEvent("broken off", 4, 1, 3);
  await connection.command("TRUNCATE TABLE event_sequences");
  await insertEvent("broken off", 4, 1, 3);
  expect(await lastSequences(5)).toEqual([3, undefined]);
});

/** What events tell of alerts is kept by the fifth migration, and by month of firing; the sixth has it anew. */
const forgetAlerts = async () => {
  await connection.command("DROP VIEW alerts_by_id_view");
  await connection.command("DROP TABLE alerts_by_id");
  await connection.command(
    "ALTER TABLE schema_migrations DELETE WHERE version IN (5, 6) SETTINGS mutations_sync = 2",
  );
};

test("alerts stored before are one row each after, whenever they fired, and the old table is gone", async () => {
  await forgetAlerts();
  const firedAt = [Date.UTC(2026, 0, 31), Date.UTC(2026, 1, 1)];
  const silencedBy = SilenceId.parse(`sil_${"0".repeat(26)}`);
  const rows = firedAt.flatMap((at, n) => [
    alertRow(n * 2, { isOver: false, firedAt: at }),
    alertRow(n * 2 + 1, { isOver: n === 0, firedAt: at, silencedBy }),
  ]);
  await connection.insert({
    table: "events",
    columns: EVENT_COLUMNS,
    format: "TabSeparated",
    settings: () => exactlyOnce("alerts before"),
    body: [encodeEventRows(rows)],
  });
  await Promise.all([migrate(connection), migrate(connection)]);
  await connection.command("OPTIMIZE TABLE alerts_by_id FINAL");
  const kept = await connection.select(
    z.tuple([z.string(), z.number(), z.string()]),
    "SELECT state, sequence, silenced_by FROM alerts_by_id",
  );
  expect(kept).toEqual([["firing", 4, silencedBy]]);
  const old = "SELECT name FROM system.tables WHERE name IN ('alerts', 'alerts_view')";
  expect(await connection.select(z.tuple([z.string()]), old)).toEqual([]);
});

test("retention is set, changed and taken back, and a table that has it already is left alone", async () => {
  const ttlOf = async (table: string) =>
    /TTL [^S]*toIntervalDay\(\d+\)/.exec(await tableText(table))?.[0] ?? null;
  await applyRetention(connection, { rawDays: 30, minuteDays: 400, hourDays: null });
  expect([await ttlOf("readings"), await ttlOf("readings_1m"), await ttlOf("readings_1h")]).toEqual([
    "TTL toDateTime(at) + toIntervalDay(30)",
    "TTL toDateTime(at) + toIntervalDay(400)",
    null,
  ]);
  const before = await tableText("readings_1m");
  await applyRetention(connection, { rawDays: 31, minuteDays: 400, hourDays: null });
  expect(await ttlOf("readings")).toBe("TTL toDateTime(at) + toIntervalDay(31)");
  expect(await tableText("readings_1m")).toBe(before);
  await applyRetention(connection, KEEP_FOR_EVER);
  expect([await ttlOf("readings"), await ttlOf("readings_1m")]).toEqual([null, null]);
});

test("a schema newer than the program is refused with what to do", async () => {
  await connection.command("INSERT INTO schema_migrations (version, name) VALUES (9999, 'from the future')");
  const refusal = migrate(connection);
  await expect(refusal).rejects.toThrow(SchemaTooNewError);
  await expect(refusal).rejects.toThrow(/schema 9999.*newer version/);
});
