import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterAll } from "vitest";
import { openPostgresControl } from "../../src/adapters/postgres/open.ts";
import type { PostgresControlOptions } from "../../src/adapters/postgres/options.ts";
import { systemClock, systemEntropy } from "../../src/adapters/system/clock.ts";
import type { ControlStore } from "../../src/ports/control-store.ts";
import { dockerWorks } from "./container.ts";
import { PostgresContainer } from "./postgres-docker.ts";
import { PostgresServer, type TestPostgres } from "./postgres-server.ts";
import { testTelemetry } from "./telemetry.ts";

/** A server that tests may kill: in a container where Docker works, else out of an npm package. */
export const ownPostgres = async (): Promise<TestPostgres> =>
  (await dockerWorks()) ? PostgresContainer.make() : PostgresServer.make();

/** A server for the tests of one file, that they may kill. Call it at the file's top. */
export const postgresToKill = async (): Promise<TestPostgres> => {
  const server = await ownPostgres();
  afterAll(() => server.remove());
  return server;
};

/** The server of DATABASE_URL, else one of the file's own. */
export const postgresUrl = async (): Promise<string> =>
  process.env.DATABASE_URL || (await postgresToKill()).url();

/** Asks the server something, as nobody of ours. */
export const asked = async <Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> => {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
};

/** A new schema on the server, and the URL that leads to it. */
export const newSchema = async (url: string): Promise<string> => {
  const name = `test_${randomUUID().slice(0, 8)}`;
  await asked(url, `create schema ${name}`);
  const into = new URL(url);
  into.searchParams.set("options", `-c search_path=${name}`);
  return into.href;
};

export const schemaOf = (url: string): string => {
  const [, schema] = new URL(url).searchParams.get("options")?.split("=") ?? [];
  if (schema === undefined) throw new Error(`no schema in ${url}`);
  return schema;
};

/** What `newSchema` made, with all that is in it. */
export const dropSchema = async (url: string): Promise<void> => {
  await asked(url, `drop schema ${schemaOf(url)} cascade`);
};

/** Control data at `url`, with what the test does not name as it is in production. */
export const openTestControl = (
  options: Partial<PostgresControlOptions> & Pick<PostgresControlOptions, "url">,
): Promise<ControlStore> =>
  openPostgresControl({
    ca: null,
    connectionsMax: 10,
    secretKey: new Uint8Array(32),
    clock: systemClock,
    entropy: systemEntropy,
    telemetry: testTelemetry(),
    ...options,
  });
