// A process of its own: a WebSocket server that sends pre-made frames, and makes signals dip now and then.
import { once } from "node:events";
import { createServer } from "node:http";
import { WebSocketServer } from "ws";
import { z } from "zod";
import { portOf } from "../test/support/port.ts";
import { evenFlow } from "./even-flow.ts";
import { FailureWatch } from "./failure-watch.ts";
import { externalIdOf } from "./frames.ts";
import { InTurn } from "./in-turn.ts";
import { Lane } from "./lane.ts";

const Parameters = z.object({
  signals: z.number(),
  readingsPerFrame: z.number(),
  shape: z.enum(["default", "ttn-v3"]),
  /** Each on a path of its own, /0 and so on, with its share of the signals. */
  connections: z.number(),
});
/** Null: as much as is taken. */
const Pace = z.number().nullable();
const Orders = z.discriminatedUnion("order", [
  z.object({ order: z.literal("pace"), readingsPerSecond: Pace }),
  z.object({ order: z.literal("watch"), url: z.string(), key: z.string() }),
  z.object({
    order: z.literal("dips"),
    perSecond: z.number(),
    seconds: z.number(),
    /** Whether the first that is told ends them. */
    untilTold: z.boolean().optional(),
  }),
]);
export type GeneratorOrder = z.infer<typeof Orders>;
export type GeneratorParameters = z.infer<typeof Parameters>;

const TICK_MS = 5;
const TELL_TIME_MS = 1_000;
const LAST_TOLD_MS = 1_000;
const parameters = Parameters.parse(JSON.parse(process.argv[2] ?? ""));
const { signals, readingsPerFrame, connections } = parameters;
const each = Math.floor(signals / connections);
const lanes = Array.from({ length: connections }, (_, at) => new Lane(parameters, at * each, each));
const turns = new InTurn(connections);
const failures = new FailureWatch();

const server = createServer();
const acceptor = new WebSocketServer({ noServer: true, perMessageDeflate: false });
server.on("upgrade", (request, socket, head) => {
  const lane = lanes[Number(request.url?.slice(1))];
  // Frames are written past the library: they have their headers already.
  acceptor.handleUpgrade(request, socket, head, (webSocket) => {
    webSocket.on("error", () => undefined);
    lane?.connect(request.socket);
  });
});
server.listen(0, "127.0.0.1");
await once(server, "listening");

let pace: number | null = 0;
let from = performance.now();
let sentBefore = 0;
const sent = () => lanes.reduce((sum, lane) => sum + lane.sentFrames, 0);
const setPace = (readingsPerSecond: number | null) => {
  pace = readingsPerSecond;
  from = performance.now();
  sentBefore = sent();
  for (const lane of lanes) lane.flood(pace === null);
};
setInterval(() => {
  if (pace === null || pace === 0) return;
  const due = ((performance.now() - from) / 1_000) * (pace / readingsPerFrame) - (sent() - sentBefore);
  const shares = turns.share(Math.max(0, Math.floor(due)));
  for (const [at, lane] of lanes.entries()) lane.send(shares[at] ?? 0);
}, TICK_MS);
setInterval(() => {
  for (const lane of lanes) lane.tell(new Date());
}, TELL_TIME_MS);

/** Each lasts one round over all signals: the next frame with that signal is a good one again, and clears it. */
const dip = async (perSecond: number, seconds: number, untilTold: boolean) => {
  const [readingsBefore, started] = [sent() * readingsPerFrame, performance.now()];
  let dips = 0;
  for await (const _ of evenFlow(perSecond, perSecond * seconds)) {
    if (untilTold && failures.hasTold) break;
    dips++;
    const bad = lanes[dips % connections]?.sendBad(dips) ?? null;
    if (bad !== null) failures.sent(externalIdOf(bad, parameters));
  }
  const readings = sent() * readingsPerFrame - readingsBefore;
  const took = (performance.now() - started) / 1_000;
  await new Promise((resolve) => setTimeout(resolve, LAST_TOLD_MS));
  return { readings, seconds: took, ...failures.collect() };
};

const obey = async (order: GeneratorOrder): Promise<object> => {
  if (order.order === "dips") return dip(order.perSecond, order.seconds, order.untilTold === true);
  if (order.order === "watch") await failures.open(order.url, order.key);
  else setPace(order.readingsPerSecond);
  return {};
};
process.on("message", async (message) => {
  process.send?.(await obey(Orders.parse(message)));
});
process.on("disconnect", () => process.exit());
process.send?.({ port: portOf(server) });
