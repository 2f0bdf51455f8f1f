// A process of its own: endpoints, each on a port of its own, that answer at once or never.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { z } from "zod";
import { portOf } from "../test/support/port.ts";

const Orders = z.discriminatedUnion("order", [
  z.object({ order: z.literal("open"), healthy: z.number(), hanging: z.number() }),
  z.object({ order: z.literal("count") }),
  /** What arrived since the last time. */
  z.object({ order: z.literal("collect") }),
]);
export type ReceiverOrder = z.infer<typeof Orders>;

/** When it happened, in Unix milliseconds with their fraction, as the bench writes it into each event. */
const HAPPENED_AT = /"value":([\d.]+)/;

/** On a machine that others use too, their requests come to ports that were theirs. */
const PATH = `/${randomUUID()}`;

let arrivals = 0;
let requestsToHanging = 0;
let lastAt = 0;
let ages: number[] = [];

const answering = (): Server =>
  createServer((request, response) => {
    if (request.url !== PATH) {
      response.writeHead(404).end();
      return;
    }
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      lastAt = performance.timeOrigin + performance.now();
      arrivals++;
      ages.push(lastAt - Number(HAPPENED_AT.exec(Buffer.concat(chunks).toString())?.[1]));
      response.writeHead(204).end();
    });
  });
const hanging = (): Server =>
  createServer((request) => {
    if (request.url === PATH) requestsToHanging++;
    request.resume();
    request.on("error", () => undefined);
  });

const urlOf = async (server: Server): Promise<string> => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${portOf(server)}${PATH}`;
};

process.on("message", async (message) => {
  const order = Orders.parse(message);
  if (order.order === "open") {
    const servers = [
      ...Array.from({ length: order.hanging }, hanging),
      ...Array.from({ length: order.healthy }, answering),
    ];
    process.send?.({ urls: await Promise.all(servers.map(urlOf)) });
  } else if (order.order === "count") {
    process.send?.({ arrivals });
  } else {
    process.send?.({ arrivals, requestsToHanging, lastAt, ages });
    arrivals = 0;
    ages = [];
  }
});
