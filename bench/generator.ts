// A process of its own: a WebSocket server that sends pre-made frames at a steady rate, makes a signal dip now and
// then, and times, with one clock, how long the service takes to tell `signal.failed` on its stream.
import { once } from "node:events";
import { WebSocket, WebSocketServer } from "ws";
import { z } from "zod";

const Parameters = z.object({
  signals: z.number(),
  readingsPerFrame: z.number(),
  readingsPerSecond: z.number(),
  dipsPerSecond: z.number(),
});
const Orders = z.discriminatedUnion("order", [
  z.object({ order: z.literal("watch"), url: z.string(), key: z.string() }),
  z.object({ order: z.literal("measure"), seconds: z.number() }),
]);
export type Orders = z.infer<typeof Orders>;

const TICK_MS = 5;
const GOOD = -42;
const BAD = -95;
const parameters = Parameters.parse(JSON.parse(process.argv[2] ?? ""));
const frames = parameters.signals / parameters.readingsPerFrame;
const nameOf = (signal: number) => `bench-${String(signal).padStart(6, "0")}`;
const frameOf = (frame: number, bad: number | null): string => {
  const readings = Array.from({ length: parameters.readingsPerFrame }, (_, i) => {
    const signal = frame * parameters.readingsPerFrame + i;
    return { id: nameOf(signal), rssi: signal === bad ? BAD : GOOD };
  });
  return JSON.stringify(readings);
};
const made = Array.from({ length: frames }, (_, frame) => frameOf(frame, null));

const server = new WebSocketServer({ host: "127.0.0.1", port: 0, perMessageDeflate: false });
await once(server, "listening");
const say = (message: object) => process.send?.(message);
const address = server.address();
say({ port: typeof address === "object" ? address?.port : 0 });
const [client] = (await once(server, "connection")) as [WebSocket];

let sentFrames = 0;
let dips = 0;
const dipAt = new Map<string, number>();
const samples: number[] = [];
let measuring = false;
const started = performance.now();

// A dip lasts one pass over all signals: the next frame with that signal is a good one again, and clears it.
const sendFrame = (now: number) => {
  const frame = sentFrames % frames;
  const due = ((now - started) / 1000) * parameters.dipsPerSecond;
  let bad: number | null = null;
  if (measuring && dips < due) {
    dips = Math.max(dips + 1, Math.floor(due));
    bad = frame * parameters.readingsPerFrame + (dips % parameters.readingsPerFrame);
    dipAt.set(nameOf(bad), performance.now());
  }
  client.send(bad === null ? (made[frame] ?? "") : frameOf(frame, bad));
  sentFrames++;
};
const timer = setInterval(() => {
  const now = performance.now();
  const due = ((now - started) / 1000) * (parameters.readingsPerSecond / parameters.readingsPerFrame);
  while (sentFrames < due && client.bufferedAmount < 4 * 1024 ** 2) sendFrame(now);
}, TICK_MS);

const Told = z.object({
  type: z.literal("event"),
  event: z.object({ event: z.string(), data: z.object({ signal: z.object({ externalId: z.string() }) }) }),
});
const watch = async (url: string, key: string): Promise<void> => {
  const stream = new WebSocket(`${url.replace(/^http/, "ws")}/v1/stream`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  stream.on("message", (data) => {
    const arrived = performance.now();
    const message = Told.safeParse(JSON.parse(data.toString()));
    if (!message.success || message.data.event.event !== "signal.failed") return;
    const name = message.data.event.data.signal.externalId;
    const sent = dipAt.get(name);
    if (sent !== undefined) samples.push(arrived - sent);
    dipAt.delete(name);
  });
  await once(stream, "open");
  stream.send(JSON.stringify({ type: "subscribe", id: "failures", events: { types: ["signal.failed"] } }));
};

process.on("message", async (message) => {
  const order = Orders.parse(message);
  if (order.order === "watch") {
    await watch(order.url, order.key);
    say({ watching: true });
    return;
  }
  const before = sentFrames;
  const from = performance.now();
  measuring = true;
  await new Promise((resolve) => setTimeout(resolve, order.seconds * 1000));
  measuring = false;
  const readings = (sentFrames - before) * parameters.readingsPerFrame;
  const seconds = (performance.now() - from) / 1000;
  await new Promise((resolve) => setTimeout(resolve, 1000));
  clearInterval(timer);
  say({ readings, seconds, samples, missing: dipAt.size });
  server.close();
  client.terminate();
  process.disconnect();
});
