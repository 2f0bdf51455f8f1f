import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import pg from "pg";
import { afterAll, onTestFinished } from "vitest";
import { asked, openTestControl } from "./postgres.ts";
import { restoring, SEND_AWAY, stateOf, tablesAt } from "./postgres-state.ts";

/** Makes a database for a test, and gives the URL that leads to it. */
export type NewDatabase = () => Promise<string>;

const databaseAt = (url: string, name: string): string => {
  const other = new URL(url);
  other.pathname = `/${name}`;
  return other.href;
};

/** Empties a database that is like `url` is now, and says whether it is as it was then, in all that a test could see. */
const makingAsNew = async (url: string): Promise<(database: string) => Promise<boolean>> => {
  const tables = await tablesAt(url);
  const state = stateOf(tables);
  const [restore, asMade] = [await restoring(url, tables), await asked(url, state)];
  return async (database) => {
    const client = new pg.Client(database);
    await client.connect();
    try {
      await client.query(SEND_AWAY);
      await client.query(restore);
      return isDeepStrictEqual((await client.query(state)).rows, asMade);
    } finally {
      await client.end();
    }
  };
};

/**
 * Databases of the file's own on the server, which the test that asks for one has for itself. All are copies of one that
 * was migrated, and knows no secret key yet: a copy is made in a quarter of the time. One that a test is done with goes
 * to another test once it is as a new copy would be, which takes less still; one in which definitions were changed never
 * is.
 */
export const migratedDatabases = async (server: string): Promise<NewDatabase> => {
  const template = `template_${randomUUID().slice(0, 8)}`;
  await asked(server, `create database ${template}`);
  const url = databaseAt(server, template);
  await (await openTestControl({ url })).close();
  await asked(url, "delete from fact");
  const makeAsNew = await makingAsNew(url);
  const free: string[] = [];
  const drop = (name: string) => asked(server, `drop database ${name} with (force)`);
  const copy = async () => {
    const name = `test_${randomUUID().slice(0, 8)}`;
    await asked(server, `create database ${name} template ${template}`);
    return name;
  };
  afterAll(async () => {
    for (const name of [...free, template]) await drop(name);
  });
  return async () => {
    const name = free.pop() ?? (await copy());
    onTestFinished(async () => {
      if (await makeAsNew(databaseAt(server, name))) free.push(name);
      else await drop(name);
    });
    return databaseAt(server, name);
  };
};
