import { onTestFinished } from "vitest";
import { systemEntropy } from "../../src/adapters/system/clock.ts";
import { asked, migratedDatabases, openTestControl, postgresUrl } from "../support/postgres.ts";
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
