import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { systemEntropy } from "../../src/adapters/system/clock.ts";
import { asked, openTestControl, postgresUrl } from "../support/postgres.ts";
import { migratedDatabases } from "../support/postgres-databases.ts";
import { controlStoreSuite, type OpenControl } from "./control-store.ts";

const newDatabase = await migratedDatabases(await postgresUrl());

/** Every row of every table as text; what is sealed in it stays so. */
const dump = async (url: string): Promise<Buffer> => {
  const rows = await asked<{ xml: string }>(
    url,
    "select schema_to_xml('public', true, false, '')::text as xml",
  );
  return Buffer.from(rows.map(({ xml }) => xml).join(""));
};

controlStoreSuite("PostgreSQL", async () => {
  const url = await newDatabase();
  const secretKey = systemEntropy.bytes(32);
  const open = async (options: OpenControl = {}) => {
    const store = await openTestControl({ url, secretKey, ...options });
    onTestFinished(() => store.close());
    return store;
  };
  return { open, openTwo: async () => [await open(), await open()], bytes: () => dump(url) };
});

describe("a database that a test was done with", () => {
  const LEFT = `
    delete from outbox_counter where name = 'written';
    update outbox_counter set position = 7;
    insert into account (id, name, created_at) values ('acc_left', 'left', 1);
    listen left_over;
    select pg_advisory_lock(7);
    create temporary table left_over (n int)`;
  let first = "";

  test("is left with rows that came, went and changed, and with somebody in it", async () => {
    first = await newDatabase();
    const client = new pg.Client(first);
    client.on("error", () => undefined);
    await client.connect();
    await client.query(LEFT);
  });

  test("has nothing of all that for the next", async () => {
    const url = await newDatabase();
    expect(url).toBe(first);
    const counters = await asked(url, "select name, position from outbox_counter order by name");
    expect(counters).toEqual(
      ["alert-mails", "groups", "relayed", "webhooks", "written"].map((name) => ({ name, position: "0" })),
    );
    expect(await asked(url, "select id from account")).toEqual([]);
    const others =
      "select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()";
    expect(await asked(url, `${others} and backend_type = 'client backend'`)).toEqual([]);
    expect(await asked(url, "select pid from pg_locks where locktype = 'advisory'")).toEqual([]);
    await asked(url, "create table left_over (n int)");
  });

  test("is not used again with definitions that are not as they were", async () => {
    expect(await newDatabase()).not.toBe(first);
  });
});
