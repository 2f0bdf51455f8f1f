import { expect, test } from "vitest";
import { z } from "zod";
import { Connection } from "../../../src/adapters/clickhouse/connection.ts";
import { SchemaTooNewError } from "../../../src/adapters/clickhouse/migrations.ts";
import { serverTransport } from "../../../src/adapters/clickhouse/server-transport.ts";
import { systemClock, systemEntropy } from "../../../src/adapters/system/clock.ts";
import { readingLine } from "../../../src/domain/reading-line.ts";
import { accessTo, clickHouseToKill, openTestServer } from "../../support/clickhouse.ts";
import { readingsIn } from "../../support/readings.ts";
import { bytes, signalId } from "../../support/rows.ts";
import { testTelemetry } from "../../support/telemetry.ts";

const server = await clickHouseToKill();

/** Requests of our own to a database that is there. */
const inside = (database: string): Connection => {
  const conduct = { retryForMs: 0, fault: () => null, close: async () => undefined };
  const transport = serverTransport(accessTo(server, { database }), conduct);
  const machine = { clock: systemClock, entropy: systemEntropy, telemetry: testTelemetry() };
  return new Connection({ transport, ...machine }, database);
};

test("eight processes that start at once make the database and each migration once, and all of them work", async () => {
  const access = accessTo(server, { database: "made_by_eight" });
  const opened = await Promise.all(Array.from({ length: 8 }, () => openTestServer(access)));
  const connection = inside("made_by_eight");
  const versions = await connection.select(
    z.tuple([z.number()]),
    "SELECT version FROM schema_migrations ORDER BY version",
  );
  await connection.close();
  expect(versions.map(([version]) => version)).toEqual(versions.map((_, i) => i + 1));
  await Promise.all(
    opened.map((timeSeries, n) =>
      timeSeries.insertReadings(
        `by ${n}`,
        readingsIn([bytes(readingLine(signalId(n), Date.UTC(2026, 0, 1), -50))]),
      ),
    ),
  );
  expect(await opened[0]?.readingCounts()).toEqual({ raw: 8, minute: 8, hour: 8 });
  await Promise.all(opened.map((timeSeries) => timeSeries.close()));
});

test("an older schema is brought to this program's, and one newer than it knows is refused in words", async () => {
  const access = accessTo(server, { database: "of_another_version" });
  await (await openTestServer(access)).close();
  const connection = inside("of_another_version");
  await connection.command("DROP TABLE marks SYNC");
  await connection.command(
    "ALTER TABLE schema_migrations DELETE WHERE version = 4 SETTINGS mutations_sync = 2",
  );
  const migrated = await openTestServer(access);
  await migrated.mark("here");
  expect(await migrated.isMarked("here")).toBe(true);
  await migrated.close();
  await connection.command("INSERT INTO schema_migrations (version, name) VALUES (9999, 'from the future')");
  await connection.close();
  const refused = openTestServer(access);
  await expect(refused).rejects.toThrow(SchemaTooNewError);
  await expect(refused).rejects.toThrow(/schema 9999.*newer version/);
});
