// A process of its own: subscribers of one serve worker, which count what comes and how old it is.
import { once } from "node:events";
import { WebSocket } from "ws";
import { z } from "zod";

const Orders = z.discriminatedUnion("order", [
  z.object({
    order: z.literal("open"),
    url: z.string(),
    key: z.string(),
    count: z.number(),
    subscription: z.looseObject({ format: z.enum(["json", "compact"]).optional() }).nullable(),
  }),
  z.object({ order: z.literal("measure"), seconds: z.number() }),
  z.object({ order: z.literal("close") }),
]);
export type SubscriberOrder = z.infer<typeof Orders>;

/** Every so many frames one is read whole, for the age of its readings. */
const SAMPLED = 8;
const OPENING_AT_ONCE = 100;
const MARKS = { json: '"signalId":"', compact: "],[" };
const Json = z.object({ readings: z.array(z.object({ at: z.string() })) });
const Compact = z.object({
  base: z.number(),
  readings: z.array(z.tuple([z.number(), z.number()]).rest(z.number())),
});

let sockets: WebSocket[] = [];
let counted = { updates: 0, frames: 0, bytes: 0 };
let ages: number[] = [];

const countOf = (frame: Buffer, format: "json" | "compact"): number => {
  let count = format === "compact" ? 1 : 0;
  for (let at = frame.indexOf(MARKS[format]); at >= 0; at = frame.indexOf(MARKS[format], at + 3)) count++;
  return count;
};

const timesOf = (text: string, format: "json" | "compact"): number[] => {
  if (format === "json") return Json.parse(JSON.parse(text)).readings.map(({ at }) => Date.parse(at));
  const { base, readings } = Compact.parse(JSON.parse(text));
  return readings.map(([, after]) => base + after);
};

const take = (frame: Buffer, format: "json" | "compact") => {
  if (frame.indexOf('{"type":"readings"') !== 0) return;
  const now = Date.now();
  counted.frames++;
  counted.bytes += frame.length;
  const count = countOf(frame, format);
  counted.updates += count;
  if (counted.frames % SAMPLED !== 0) return;
  const times = timesOf(frame.toString(), format);
  if (times.length !== count) throw new Error(`a frame of ${times.length} readings was counted as ${count}`);
  for (const time of times) ages.push(now - time);
};

const open = async ({ url, key, subscription }: Extract<SubscriberOrder, { order: "open" }>) => {
  const socket = new WebSocket(`${url.replace(/^http/, "ws")}/v1/stream`, {
    headers: { Authorization: `Bearer ${key}` },
    perMessageDeflate: false,
  });
  await once(socket, "open");
  sockets.push(socket);
  if (subscription === null) return;
  const subscribed = once(socket, "message");
  socket.send(JSON.stringify({ type: "subscribe", id: "bench", ...subscription }));
  await subscribed;
  const format = subscription.format ?? "json";
  socket.on("message", (data) => {
    if (Buffer.isBuffer(data)) take(data, format);
  });
};

const openAll = async (order: Extract<SubscriberOrder, { order: "open" }>) => {
  while (sockets.length < order.count) {
    const wanted = Math.min(OPENING_AT_ONCE, order.count - sockets.length);
    await Promise.all(Array.from({ length: wanted }, () => open(order)));
  }
};

const measure = async (seconds: number) => {
  counted = { updates: 0, frames: 0, bytes: 0 };
  ages = [];
  const from = performance.now();
  await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
  return { ...counted, seconds: (performance.now() - from) / 1_000, ages };
};

const answer = async (order: SubscriberOrder): Promise<object> => {
  if (order.order === "open") {
    await openAll(order);
    return { open: sockets.length };
  }
  if (order.order === "measure") return measure(order.seconds);
  for (const socket of sockets) socket.terminate();
  sockets = [];
  return { open: 0 };
};

process.on("message", async (message) => {
  process.send?.(await answer(Orders.parse(message)));
});
