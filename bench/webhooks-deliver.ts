// A process of its own: the deliver worker on the embedded log and control data.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { WebhookCreate } from "../schemas/webhook.ts";
import { openSqliteControl } from "../src/adapters/sqlite/open.ts";
import { systemClock, systemEntropy } from "../src/adapters/system/clock.ts";
import { startDeliver } from "../src/deliver/deliver.ts";
import { createWebhookSender } from "../src/outgoing/webhook-sender.ts";
import { openTestLog } from "../test/support/lmdb-log.ts";
import { testTelemetry } from "../test/support/telemetry.ts";
import { signalId } from "./definitions.ts";
import { startLoad } from "./load.ts";
import type { WebhooksLoad } from "./webhooks-load.ts";

const Orders = z.discriminatedUnion("order", [
  /** Every endpoint gets the events of all signals, or each those of one. */
  z.object({ order: z.literal("subscribe"), urls: z.array(z.string()), each: z.enum(["all", "one"]) }),
  z.object({ order: z.literal("burst"), events: z.number() }),
  z.object({ order: z.literal("steady"), eventsPerSecond: z.number(), seconds: z.number() }),
  /** How many attempts are durable. */
  z.object({ order: z.literal("saved") }),
  z.object({ order: z.literal("stop") }),
]);
export type DeliverOrder = z.infer<typeof Orders>;

const { signals } = z.object({ signals: z.number() }).parse(JSON.parse(process.argv[2] ?? ""));

const machine = { clock: systemClock, entropy: systemEntropy, telemetry: testTelemetry() };
const directory = await mkdtemp(join(tmpdir(), "sos-bench-"));
const log = await openTestLog({ directory: join(directory, "log"), partitions: { readings: 1 } });
const secretKey = systemEntropy.bytes(32);
const control = await openSqliteControl({ path: join(directory, "control.sqlite"), secretKey, ...machine });
const { id: accountId } = await control.accounts.first();
const sender = createWebhookSender({ clock: systemClock, allowPrivate: true });
const worker = await startDeliver({ log, control, sender, ...machine });

const load = await startLoad<WebhooksLoad>("./webhooks-load.ts", log);
const events = { accountId, signals };

const subscribe = async (urls: readonly string[], each: "all" | "one") => {
  for (const [n, url] of urls.entries()) {
    const filter = each === "all" ? {} : { filter: { signalIds: [signalId(n)] } };
    await control.webhooks.create(
      accountId,
      WebhookCreate.parse({ url, events: ["signal.failed"], ...filter }),
    );
  }
};
process.on("message", async (message) => {
  const order = Orders.parse(message);
  if (order.order === "subscribe") await subscribe(order.urls, order.each);
  else if (order.order === "burst") await load.calls.burst(events, order.events);
  else if (order.order === "steady") await load.calls.steady(events, order.eventsPerSecond, order.seconds);
  else if (order.order === "stop") {
    load.end();
    await worker.stop();
    await control.close();
    await log.close();
    await rm(directory, { recursive: true, force: true });
    process.disconnect();
    return;
  }
  process.send?.({ saved: await control.transfer.count("delivery_attempt") });
});
process.send?.({ load: load.pid });
