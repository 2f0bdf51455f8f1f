// A process of its own: the deliver worker on the embedded log and control data, and the events that it delivers.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { EventId, SignalId } from "../schemas/common.ts";
import { WebhookCreate } from "../schemas/webhook.ts";
import { openSqliteControl } from "../src/adapters/sqlite/open.ts";
import { systemClock, systemEntropy } from "../src/adapters/system/clock.ts";
import { startDeliver } from "../src/deliver/deliver.ts";
import { ulid } from "../src/domain/ids.ts";
import { eventRecord } from "../src/domain/records.ts";
import { sampleEvent } from "../src/domain/webhooks/sample-event.ts";
import { createWebhookSender } from "../src/outgoing/webhook-sender.ts";
import { openTestLog } from "../test/support/lmdb-log.ts";
import { testTelemetry } from "../test/support/telemetry.ts";

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

const BURST = 50;
const TICK_MS = 5;
const { signals } = z.object({ signals: z.number() }).parse(JSON.parse(process.argv[2] ?? ""));

const machine = { clock: systemClock, entropy: systemEntropy, telemetry: testTelemetry() };
const directory = await mkdtemp(join(tmpdir(), "sos-bench-"));
const log = await openTestLog({ directory: join(directory, "log"), partitions: { readings: 1 } });
const secretKey = systemEntropy.bytes(32);
const control = await openSqliteControl({ path: join(directory, "control.sqlite"), secretKey, ...machine });
const { id: accountId } = await control.accounts.first();
const sender = createWebhookSender({ clock: systemClock, allowPrivate: true });
const worker = await startDeliver({ log, control, sender, ...machine });

const signalIdOf = (n: number) => SignalId.parse(`sig_${String(n).padStart(26, "0")}`);
let next = 0;
/** As the evaluator writes it; `value` tells when it happened. */
const eventOf = () => {
  const n = next++;
  const now = Date.now();
  const sample = sampleEvent(
    "signal.failed",
    EventId.parse(`evt_${ulid(now, systemEntropy.bytes(10))}`),
    now,
  );
  const value = performance.timeOrigin + performance.now();
  const reasons = [{ kind: "threshold" as const, since: sample.createdAt, value }];
  const { signal } = sample.data;
  const data = { ...(signal === undefined ? {} : { signal: { ...signal, reasons: [] } }), reasons };
  return eventRecord({ accountId, signalId: signalIdOf(n % signals), event: { ...sample, data } });
};
const append = (count: number) => log.append("events", Array.from({ length: count }, eventOf));

const subscribe = async (urls: readonly string[], each: "all" | "one") => {
  for (const [n, url] of urls.entries()) {
    const filter = each === "all" ? {} : { filter: { signalIds: [signalIdOf(n)] } };
    await control.webhooks.create(
      accountId,
      WebhookCreate.parse({ url, events: ["signal.failed"], ...filter }),
    );
  }
};
const burst = async (events: number) => {
  for (let left = events; left > 0; left -= BURST) await append(Math.min(BURST, left));
};
const steady = async (eventsPerSecond: number, seconds: number) => {
  const from = performance.now();
  for (let told = 0; told < eventsPerSecond * seconds; ) {
    const due = Math.floor(((performance.now() - from) / 1_000) * eventsPerSecond) - told;
    for (let n = 0; n < due; n++) void append(1);
    told += due;
    await systemClock.sleep(TICK_MS);
  }
};

process.on("message", async (message) => {
  const order = Orders.parse(message);
  if (order.order === "subscribe") await subscribe(order.urls, order.each);
  else if (order.order === "burst") await burst(order.events);
  else if (order.order === "steady") await steady(order.eventsPerSecond, order.seconds);
  else if (order.order === "stop") {
    await worker.stop();
    await control.close();
    await log.close();
    await rm(directory, { recursive: true, force: true });
    process.disconnect();
    return;
  }
  process.send?.({ saved: await control.transfer.count("delivery_attempt") });
});
