import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from "@clickhouse/client";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Chdb, startChdb } from "../../../src/adapters/chdb/supervisor.ts";
import { systemClock, systemEntropy } from "../../../src/adapters/system/clock.ts";
import { testTelemetry } from "../../support/telemetry.ts";

let directory: string;
let chdb: Chdb;
let client: ClickHouseClient;
const clientOf = (database: string) =>
  createClient({ ...chdb.transport.connection, database, log: { level: ClickHouseLogLevel.OFF } });
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "sos-"));
  const machine = { clock: systemClock, entropy: systemEntropy, telemetry: testTelemetry() };
  chdb = await startChdb({ directory, ...machine });
  client = clientOf(chdb.transport.database);
});
afterAll(async () => {
  await client.close();
  await chdb.stop();
  await rm(directory, { recursive: true, force: true });
});

const row = async (query: string, options: object = {}): Promise<unknown> => {
  const result = await client.query({ query, format: "JSONCompactEachRow", ...options });
  return (await result.json())[0];
};

test("parameters arrive as they were, whatever they hold", async () => {
  const text = fc.string({ unit: "binary", maxLength: 40 }).filter((value) => value.isWellFormed());
  await fc.assert(
    fc.asyncProperty(text, fc.array(text, { maxLength: 4 }), fc.maxSafeInteger(), async (s, list, n) => {
      const answer = await row("SELECT {s:String}, {list:Array(String)}, {n:Int64}", {
        query_params: { s, list, n },
        clickhouse_settings: { output_format_json_quote_64bit_integers: 0 },
      });
      expect(answer).toEqual([s, list, n]);
    }),
    { numRuns: 60, examples: [["'); DROP TABLE t; --", ["\\'", "a,b]", "", "\\"], 0]] },
  );
});

test("settings hold for their own query only", async () => {
  const setting = "SELECT getSetting('max_threads')";
  const usual = await row(setting);
  expect(await row(setting, { clickhouse_settings: { max_threads: 7 } })).toEqual([7]);
  expect(await row(setting)).toEqual(usual);
});

test("errors carry ClickHouse's code and text", async () => {
  await expect(row("SELECT nonsense")).rejects.toMatchObject({ code: "47", type: "UNKNOWN_IDENTIFIER" });
  await expect(row("SELEC 1")).rejects.toMatchObject({ code: "62", type: "SYNTAX_ERROR" });
  await expect(row("SELECT 1", { clickhouse_settings: { no_such: 1 } })).rejects.toMatchObject({
    code: "115",
  });
  await expect(row("SELECT {a:Array(UInt8)}", { query_params: { a: "1" } })).rejects.toMatchObject({
    code: "36",
  });
});

test("another database is refused", async () => {
  const other = clientOf("other");
  await expect(other.query({ query: "SELECT 1" })).rejects.toMatchObject({ code: "81" });
  await other.close();
});

test("ping answers, and an insert reads its rows by their names", async () => {
  expect(await client.ping()).toEqual({ success: true });
  await client.command({ query: "CREATE TABLE t (a String, b UInt8) ENGINE = MergeTree ORDER BY a" });
  const values = [
    { a: "x", b: 1 },
    { b: 2, a: "y" },
  ];
  await client.insert({ table: "t", columns: ["a", "b"], format: "JSONEachRow", values });
  expect(await row("SELECT count(), sum(b) FROM t")).toEqual([2, 3]);
});
