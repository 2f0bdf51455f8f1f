import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { openSqliteControl } from "../../src/adapters/sqlite/open.ts";
import { systemClock, systemEntropy } from "../../src/adapters/system/clock.ts";
import type { ControlStore } from "../../src/ports/control-store.ts";
import { temporaryDirectory } from "../support/directory.ts";
import { testTelemetry } from "../support/telemetry.ts";
import type { ControlDatabase, OpenControl } from "./control-store.ts";

/** Control data in SQLite, empty; `through` gives each store as the tests are to see it. */
export const sqliteDatabase = async (
  through: (store: ControlStore) => ControlStore = (store) => store,
): Promise<ControlDatabase> => {
  const directory = await temporaryDirectory();
  const path = join(directory, "control.sqlite");
  const secretKey = systemEntropy.bytes(32);
  const surroundings = { clock: systemClock, entropy: systemEntropy, telemetry: testTelemetry() };
  const open = async (options: OpenControl = {}) => {
    const store = through(await openSqliteControl({ path, secretKey, ...surroundings, ...options }));
    onTestFinished(() => store.close());
    return store;
  };
  return {
    open,
    openTwo: async () => {
      const store = await open();
      return [store, store];
    },
    bytes: async () => {
      const names = await readdir(directory);
      return Buffer.concat(await Promise.all(names.map((name) => readFile(join(directory, name)))));
    },
  };
};
