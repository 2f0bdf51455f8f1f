import { join } from "node:path";
import { Mutex } from "async-mutex";
import { Kysely as Database, type Kysely, sql } from "kysely";
import { describe, expect, it, onTestFinished } from "vitest";
import { CONTROL_MIGRATIONS } from "../../../schemas/control/migrations.ts";
import { ControlMigrationError, migrateControl } from "../../../src/adapters/control/migrate.ts";
import type { ControlTables } from "../../../src/adapters/control/tables.ts";
import { ThreadConnection } from "../../../src/adapters/sqlite/connection.ts";
import { threadDialect } from "../../../src/adapters/sqlite/dialect.ts";
import { createFailures } from "../../../src/adapters/sqlite/failures.ts";
import { systemClock } from "../../../src/adapters/system/clock.ts";
import { temporaryDirectory } from "../../support/directory.ts";
import { testTelemetry } from "../../support/telemetry.ts";

const engine = { columns: { text: "text", bytes: "blob" } } as const;
const opened = async () => {
  const path = join(await temporaryDirectory(), "control.sqlite");
  const failures = createFailures(testTelemetry());
  const connection = await ThreadConnection.open({ path, busyTimeoutMs: 20 }, failures, systemClock);
  const db = new Database<ControlTables>({
    dialect: threadDialect({ connection, mutex: new Mutex(), failures }),
  });
  onTestFinished(() => db.destroy());
  return db;
};
const tablesOf = async (db: Kysely<ControlTables>) =>
  (await db.introspection.getTables()).map(({ name }) => name).sort();
const newTable = (name: string) => ({
  up: async (db: Kysely<unknown>) => {
    await db.schema.createTable(name).addColumn("id", "integer").execute();
  },
});

describe("migrations of control data", () => {
  it("apply once each, and what is new on top", async () => {
    const db = await opened();
    await migrateControl(db, engine);
    const tables = await tablesOf(db);
    await migrateControl(db, engine);
    expect(await tablesOf(db)).toEqual(tables);
    await migrateControl(db, engine, { ...CONTROL_MIGRATIONS, "9000-more": newTable("more") });
    expect(await tablesOf(db)).toEqual([...tables, "more"].sort());
  });

  it("leave one request that waits and one open invitation of what an address had several of", async () => {
    const db = await opened();
    const { "0021-one-open": _, ...before } = CONTROL_MIGRATIONS;
    await migrateControl(db, engine, before);
    for (const [id, email, state] of [
      ["acr_1", "jane", "rejected"],
      ["acr_2", "jane", "pending"],
      ["acr_3", "jane", "pending"],
      ["acr_4", "john", "pending"],
    ])
      await sql`insert into access_request (id, email, use_case, state, created_at)
        values (${id}, ${email}, ${`of ${id}`}, ${state}, 1)`.execute(db);
    for (const [id, account, email, revoked] of [
      ["inv_1", "acc_1", "jane", null],
      ["inv_2", "acc_1", "jane", null],
      ["inv_3", "acc_1", "jane", 5],
      ["inv_4", "acc_2", "jane", null],
      ["inv_5", "acc_1", "john", null],
    ])
      await sql`insert into invitation (id, account_id, email, role, expires_at, revoked_at, created_at)
        values (${id}, ${account}, ${email}, 'viewer', 9, ${revoked}, 1)`.execute(db);
    await migrateControl(db, engine);
    const requests = await db.selectFrom("access_request").select("id").orderBy("id").execute();
    expect(requests.map(({ id }) => id)).toEqual(["acr_1", "acr_2", "acr_4"]);
    const open = db.selectFrom("invitation").select("id").where("revoked_at", "is", null);
    expect((await open.orderBy("id").execute()).map(({ id }) => id)).toEqual(["inv_2", "inv_4", "inv_5"]);
  });

  it("refuse a database that a newer program has written, and name what it has", async () => {
    const db = await opened();
    await migrateControl(db, engine, { ...CONTROL_MIGRATIONS, "9000-more": newTable("more") });
    const refused = migrateControl(db, engine);
    await expect(refused).rejects.toThrow(ControlMigrationError);
    await expect(refused).rejects.toThrow("newer than this program: it has 9000-more;");
  });

  it("leave nothing of one that failed, and say which it was", async () => {
    const db = await opened();
    await migrateControl(db, engine);
    const tables = await tablesOf(db);
    const broken = {
      up: async (target: Kysely<unknown>) => {
        await newTable("half").up(target);
        await sql`insert into no_such_table values (1)`.execute(target);
      },
    };
    const failing = { ...CONTROL_MIGRATIONS, "9000-fine": newTable("fine"), "9001-broken": broken };
    await expect(migrateControl(db, engine, failing)).rejects.toThrow("9001-broken");
    expect(await tablesOf(db)).toEqual(tables);
    await migrateControl(db, engine);
  });
});
