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
    const before = Object.entries(CONTROL_MIGRATIONS).filter(([name]) => name < "0021");
    await migrateControl(db, engine, Object.fromEntries(before));
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

  it("know of programs that are there whose they are, as far as the audit log tells", async () => {
    const db = await opened();
    const before = Object.entries(CONTROL_MIGRATIONS).filter(([name]) => name < "0020");
    await migrateControl(db, engine, Object.fromEntries(before));
    const made = async (id: string, ...by: readonly (readonly [kind: string, id: string])[]) => {
      await sql`insert into oauth_client (id, account_id, revision, settings, created_at, updated_at)
        values (${id}, 'acc_1', 1, '{}', 1, 1)`.execute(db);
      for (const [n, [kind, actor]] of by.entries())
        await sql`insert into audit_entry (id, account_id, action, actor_kind, actor_id, actor_name, target_id)
          values (${`aud_${id}_${n}`}, 'acc_1', ${n === 0 ? "oauth_client.created" : "oauth_client.secret_rotated"},
            ${kind}, ${actor}, 'x', ${id})`.execute(db);
    };
    for (const [id, person] of [
      ["key_1", "usr_3"],
      ["key_2", null],
    ])
      await sql`insert into api_key (id, account_id, person_id, name, prefix, hash, scopes, created_at)
        values (${id}, 'acc_1', ${person}, 'k', 'sos_', ${Buffer.from(id ?? "")}, '[]', 1)`.execute(db);
    await made("ocl_by_person", ["person", "usr_1"]);
    await made("ocl_rotated", ["person", "usr_1"], ["person", "usr_2"]);
    await made("ocl_by_key", ["key", "key_1"]);
    await made("ocl_by_nobodys_key", ["person", "usr_1"], ["key", "key_2"]);
    await made("ocl_forgotten");
    await migrateControl(db, engine);
    const rows = await db.selectFrom("oauth_client").select(["id", "person_id"]).execute();
    expect(Object.fromEntries(rows.map(({ id, person_id: person }) => [id, person]))).toEqual({
      ocl_by_person: "usr_1",
      ocl_rotated: "usr_2",
      ocl_by_key: "usr_3",
      ocl_by_nobodys_key: null,
      ocl_forgotten: null,
    });
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
