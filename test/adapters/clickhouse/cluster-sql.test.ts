import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { type Chdb, startChdb } from "../../../src/adapters/chdb/supervisor.ts";
import { onCluster } from "../../../src/adapters/clickhouse/cluster-sql.ts";
import { Connection } from "../../../src/adapters/clickhouse/connection.ts";
import { CREATE_TABLE, migrationStatements } from "../../../src/adapters/clickhouse/migrations.ts";
import { systemClock, systemEntropy } from "../../../src/adapters/system/clock.ts";
import { readingLine } from "../../../src/domain/reading-line.ts";
import { answeringServer } from "../../support/answering-server.ts";
import { accessTo, openTestServer } from "../../support/clickhouse.ts";
import { readingsIn } from "../../support/readings.ts";
import { bytes, signalId } from "../../support/rows.ts";
import { testTelemetry } from "../../support/telemetry.ts";

const CLUSTER = { name: "main", database: "signals" };
const SCHEMAS = new URL("../../../schemas/clickhouse/", import.meta.url);

let directory: string;
let chdb: Chdb;
let engine: Connection;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "sos-"));
  const machine = { clock: systemClock, entropy: systemEntropy, telemetry: testTelemetry() };
  chdb = await startChdb({ directory, ...machine });
  engine = new Connection({ transport: chdb.transport, ...machine }, chdb.transport.database);
});
afterAll(async () => {
  await engine.close();
  await chdb.stop();
  await rm(directory, { recursive: true, force: true });
});

const clustered = async () => [
  onCluster("CREATE DATABASE IF NOT EXISTS signals", CLUSTER),
  onCluster(CREATE_TABLE.trim(), CLUSTER),
  ...(await migrationStatements(CLUSTER)),
];

test("one server is sent the statements as they stand in the files", async () => {
  const names = (await readdir(SCHEMAS)).sort();
  const files = await Promise.all(names.map((name) => readFile(new URL(name, SCHEMAS), "utf8")));
  const bare = (text: string) => text.replace(/^--.*\n/gm, "").replace(/\n+/g, "\n");
  const statements = await migrationStatements();
  expect(bare(`${statements.join(";\n")};\n`)).toBe(bare(files.join("")));
});

test("a cluster is sent them for every replica, with engines that replicate", async () => {
  await expect(`${(await clustered()).join(";\n\n")};\n`).toMatchFileSnapshot("cluster.sql");
});

test("each table of a cluster has a path of its own, and none keeps a window of plain tables", async () => {
  const statements = await clustered();
  const tables = statements.filter((statement) => statement.startsWith("CREATE TABLE"));
  const paths = tables.map((statement) => /Replicated\w*MergeTree\('([^']+)'/.exec(statement)?.[1]);
  expect(new Set(paths).size).toBe(tables.length);
  expect(paths.every((path) => path?.startsWith("/clickhouse/tables/{shard}/signals/"))).toBe(true);
  expect(statements.join()).not.toContain("non_replicated");
  for (const statement of statements.filter((each) => each.startsWith("CREATE")))
    expect(statement).toMatch(/^CREATE [A-Z ]+ IF NOT EXISTS \w+ ON CLUSTER `main`/);
});

test("the engine can read every statement, and lacks nothing for its tables but a Keeper", async () => {
  for (const statement of await clustered()) {
    await engine.select(z.unknown(), `SELECT formatQuery({statement:String})`, { statement });
    if (!statement.startsWith("CREATE TABLE")) continue;
    const here = statement
      .replace(" ON CLUSTER `main`", "")
      .replace("{shard}", "1")
      .replace("{replica}", "a");
    await expect(engine.command(here)).rejects.toThrow(/code 225/);
  }
});

test("what is not known how to replicate is not sent", () => {
  expect(() => onCluster("RENAME TABLE readings_1m TO minutes", CLUSTER)).toThrow(
    /not known how to replicate/,
  );
  expect(() => onCluster("CREATE TABLE readings (a Int8) ENGINE = MergeTree ORDER BY a", CLUSTER)).toThrow();
});

test.each([
  { replicas: 1, quorum: null },
  { replicas: 2, quorum: "2" },
  { replicas: 3, quorum: "2" },
  { replicas: 4, quorum: "3" },
])(
  "inserts into a cluster of $replicas are compressed, and wait for most of them",
  async ({ replicas, quorum }) => {
    const answers = {
      "version()": '["26.7.2.1"]\n',
      "system.clusters": `["main",1,${replicas}]\n`,
      "system.macros": '["shard"]\n["replica"]\n',
    };
    const { url, asked } = await answeringServer(
      ({ query }) => Object.entries(answers).find(([part]) => query.includes(part))?.[1] ?? "",
    );
    const timeSeries = await openTestServer(accessTo({ url }, { cluster: "main" }));
    await timeSeries.insertReadings(
      "a",
      readingsIn([bytes(readingLine(signalId(1), Date.UTC(2026, 0, 1), -50))]),
    );
    await timeSeries.close();
    const inserts = asked.filter(({ query }) => query.startsWith("INSERT INTO readings "));
    expect(inserts.map(({ url: { searchParams } }) => searchParams.get("insert_quorum"))).toEqual([quorum]);
    expect(inserts.map(({ headers }) => headers["content-encoding"])).toEqual(["zstd"]);
    expect(asked.map(({ query }) => query)).toContain(
      "CREATE DATABASE IF NOT EXISTS signals ON CLUSTER `main`",
    );
  },
);
