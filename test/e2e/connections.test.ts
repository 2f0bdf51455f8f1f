import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../support/directory.ts";
import { asked, postgresToKill } from "../support/postgres.ts";
import { startService } from "../support/service.ts";
import { newApiKey } from "../support/service-process.ts";

const server = await postgresToKill();

const OURS = `select count(*)::int as count from pg_stat_activity
  where application_name = 'signal-optimization-service'`;

test("all workers together take as many connections as they are given, and one for locks", async () => {
  const { api } = await startService({
    dataDirectory: await temporaryDirectory(),
    apiKey: newApiKey(),
    environment: {
      DATABASE_URL: server.url(),
      DATABASE_CONNECTIONS: "12",
      DEMO: "true",
      SECRET_KEY: randomBytes(32).toString("base64"),
    },
  });
  await api.recordedMore();
  // Connections stay for a minute after their use.
  const asking = Array.from({ length: 100 }, () => api.client.get("/v1/alerts/rules"));
  await Promise.all(asking);
  const [ours] = await asked<{ count: number }>(server.url(), OURS);
  expect(ours?.count).toBeGreaterThan(6);
  expect(ours?.count).toBeLessThanOrEqual(13);
});
