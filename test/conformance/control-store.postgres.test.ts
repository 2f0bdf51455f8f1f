import { onTestFinished } from "vitest";
import { systemEntropy } from "../../src/adapters/system/clock.ts";
import { asked, newSchema, openTestControl, postgresUrl } from "../support/postgres.ts";
import { controlStoreSuite, type OpenControl } from "./control-store.ts";

const server = await postgresUrl();

/** Every row of every table as text; what is sealed in it stays so. */
const dump = async (url: string): Promise<Buffer> => {
  const schema = new URL(url).searchParams.get("options")?.split("=")[1];
  const rows = await asked<{ xml: string }>(
    url,
    `select schema_to_xml('${schema}', true, false, '')::text as xml`,
  );
  return Buffer.from(rows.map(({ xml }) => xml).join(""));
};

controlStoreSuite("PostgreSQL", async () => {
  const url = await newSchema(server);
  const secretKey = systemEntropy.bytes(32);
  const open = async (options: OpenControl = {}) => {
    const store = await openTestControl({ url, secretKey, ...options });
    onTestFinished(() => store.close());
    return store;
  };
  return { open, openTwo: async () => [await open(), await open()], bytes: () => dump(url) };
});
