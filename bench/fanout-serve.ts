// A process of its own: one serve worker on embedded engines, and the newest values that an evaluator would tell it.
import { z } from "zod";
import { SignalCreate } from "../schemas/signal.ts";
import { encodeLive } from "../src/domain/live.ts";
import { openTestEngines, startTestServe } from "../test/support/serve-worker.ts";

const Orders = z.discriminatedUnion("order", [
  z.object({ order: z.literal("publish"), updatesPerSecond: z.number() }),
  z.object({ order: z.literal("stop") }),
]);
export type ServeOrder = z.infer<typeof Orders>;

const TICK_MS = 10;
const { signals } = z.object({ signals: z.number() }).parse(JSON.parse(process.argv[2] ?? ""));
const engines = await openTestEngines();
const { log, control, accountId } = engines;
const ids: string[] = [];
for (let i = 0; i < signals; i++) {
  const signal = SignalCreate.parse({ name: `bench ${i}`, threshold: 0.2 });
  const made = await control.signals.create(accountId, signal);
  if (made.ok) ids.push(made.value.definition.id);
}
const serve = await startTestServe(engines);

let timer: NodeJS.Timeout | undefined;
let next = 0;
/** In turn, so that each signal changes at one pace; the time of a value is when it was told. */
const publish = (updatesPerSecond: number) => {
  clearInterval(timer);
  const from = performance.now();
  let told = 0;
  timer = setInterval(() => {
    const due = Math.floor(((performance.now() - from) / 1_000) * updatesPerSecond) - told;
    const atMs = Date.now();
    const updates = Array.from({ length: Math.min(due, signals) }, () => {
      next++;
      const strength = -40 - (next % 600) / 10;
      return { signalId: ids[next % signals] ?? "", accountId, atMs, strength, status: "active" as const };
    });
    told += due;
    if (updates.length > 0) void log.append("live", [{ value: encodeLive(updates) }]);
  }, TICK_MS);
};

process.on("message", async (message) => {
  const order = Orders.parse(message);
  if (order.order === "publish") {
    publish(order.updatesPerSecond);
    return;
  }
  clearInterval(timer);
  await serve.stop();
  await engines.close();
  process.disconnect();
});
process.send?.({ url: serve.url, key: serve.key });
