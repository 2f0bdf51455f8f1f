import { afterAll, beforeAll } from "vitest";
import type { ControlStore } from "../../src/ports/control-store.ts";
import { dropSchema, newSchema, openTestControl } from "./postgres.ts";
import { openTestEngines, startTestServe, type TestEngines, type TestServe } from "./serve.ts";
import { newKeyOn } from "./serve-worker.ts";

/** What both say that they are reached at. */
export const PUBLIC_URL = "http://127.0.0.1:1";

/** Two serve workers on one PostgreSQL, each by connections of its own, as in two processes. */
export interface TwoServes {
  readonly engines: TestEngines;
  readonly both: readonly [TestServe, TestServe];
  /** Where the database is. */
  readonly schema: string;
}

/** For the tests of a file, on the server at `url`; ask for them only inside tests. */
export const twoServes = (url: string): TwoServes => {
  let engines: TestEngines;
  let both: readonly [TestServe, TestServe];
  let schema: string;
  const stores: ControlStore[] = [];
  beforeAll(async () => {
    schema = await newSchema(url);
    const embedded = await openTestEngines();
    const onOwnConnections = async (): Promise<TestEngines> => {
      const control = await openTestControl({ url: schema });
      stores.push(control);
      const { id: accountId } = await control.accounts.first();
      return { ...embedded, control, accountId, newKey: newKeyOn(control, accountId) };
    };
    const settings = { publicUrl: PUBLIC_URL };
    engines = await onOwnConnections();
    const other = await onOwnConnections();
    both = [await startTestServe(engines, settings), await startTestServe(other, settings)];
  });
  afterAll(async () => {
    for (const serve of both) await serve.stop();
    for (const store of stores) await store.close();
    await engines.close();
    await dropSchema(schema);
  });
  return {
    get engines() {
      return engines;
    },
    get both() {
      return both;
    },
    get schema() {
      return schema;
    },
  };
};
