// A process of its own: one serve worker on embedded engines.
import { z } from "zod";
import { SignalCreate } from "../schemas/signal.ts";
import { openTestEngines, startTestServe } from "../test/support/serve-worker.ts";
import type { FanoutLoad } from "./fanout-load.ts";
import { startLoad } from "./load.ts";

const Orders = z.discriminatedUnion("order", [
  z.object({ order: z.literal("publish"), updatesPerSecond: z.number() }),
  z.object({ order: z.literal("count") }),
  z.object({ order: z.literal("stop") }),
]);
export type ServeOrder = z.infer<typeof Orders>;

const { signals } = z.object({ signals: z.number() }).parse(JSON.parse(process.argv[2] ?? ""));
const engines = await openTestEngines();
const { log, control, accountId } = engines;
const signalIds: string[] = [];
for (let i = 0; i < signals; i++) {
  const signal = SignalCreate.parse({ name: `bench ${i}`, threshold: 0.2 });
  const made = await control.signals.create(accountId, signal);
  if (made.ok) signalIds.push(made.value.definition.id);
}
const serve = await startTestServe(engines);
const load = await startLoad<FanoutLoad>("./fanout-load.ts", log);

process.on("message", async (message) => {
  const order = Orders.parse(message);
  if (order.order === "stop") {
    load.end();
    await serve.stop();
    await engines.close();
    process.disconnect();
    return;
  }
  if (order.order === "publish")
    void load.calls.publish({ accountId, signalIds, updatesPerSecond: order.updatesPerSecond });
  process.send?.(await load.calls.offered());
});
process.send?.({ url: serve.url, key: serve.key, load: load.pid });
