import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { Connection } from "../../src/outgoing/connection.ts";
import { ConnectionPool } from "../../src/outgoing/connection-pool.ts";
import { Exchange } from "../../src/outgoing/exchange.ts";
import { SENDER_LIMITS } from "../../src/outgoing/sending.ts";
import { heldBytes } from "../support/heap.ts";
import { RawFarEnd } from "../support/raw-far-end.ts";
import { until } from "../support/until.ts";

const EMPTY = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

const newPool = (connectionsPerOrigin = 2) => {
  const options = {
    connect: (to: { hostname: string; port: string }, callback: (error: null, socket: never) => void) => {
      const socket = connect(Number(to.port), to.hostname, () =>
        Reflect.apply(callback, null, [null, socket]),
      );
    },
    headerBytes: 16_384,
    keepAliveMs: 15_000,
  };
  const pool = new ConnectionPool(options, { connectionsPerOrigin, idleConnections: 3 });
  onTestFinished(() => pool.close());
  /** Takes a connection, or waits for one. */
  const taken = (origin: string): { connection: Connection | null; withdraw: () => void } => {
    const one: { connection: Connection | null; withdraw: () => void } = {
      connection: null,
      withdraw: () => undefined,
    };
    one.withdraw = pool.take(origin, {
      isInTime: () => true,
      take: (connection) => {
        one.connection = connection;
      },
    });
    return one;
  };
  return { pool, taken };
};
const there = ({ connection }: { connection: Connection | null }): Connection => {
  if (connection === null) throw new Error("it waits");
  return connection;
};

test("an origin is forgotten with its last connection, whoever waited for one meanwhile", async () => {
  const { pool, taken } = newPool(1);
  const origin = "http://127.0.0.1:9";
  const first = taken(origin);
  const withdrawn = taken(origin);
  const second = taken(origin);
  expect([pool.origins, pool.counts().waiting]).toEqual([1, 2]);
  withdrawn.withdraw();
  pool.discard(there(first));
  expect([pool.origins, withdrawn.connection]).toEqual([1, null]);
  pool.discard(there(second));
  expect([pool.origins, pool.counts()]).toEqual([0, { open: 0, idle: 0, waiting: 0 }]);
  for (let port = 1; port <= 1_000; port++) pool.discard(there(taken(`http://127.0.0.1:${port}`)));
  expect(pool.origins).toBe(0);
});

test("an origin whose idle connections the far end has closed is forgotten, too", async () => {
  const farEnd = await RawFarEnd.start((socket) => socket.write(EMPTY));
  const { pool, taken } = newPool();
  const connection = there(taken(new URL(farEnd.url).origin));
  const ended = new Promise<void>((resolve) => {
    const ends = { answered: () => undefined, ended: resolve, broke: () => undefined };
    connection.post({ path: "/", headers: [], body: "{}" }, new Exchange(SENDER_LIMITS, ends));
  });
  await ended;
  pool.give(connection);
  expect([pool.origins, pool.counts().idle]).toEqual([1, 1]);
  for (const socket of farEnd.sockets) socket.destroy();
  await until("it to be forgotten", () => pool.origins === 0);
});

test("of large pieces of answers only what is kept is held, however many there are", async () => {
  const ends = { answered: () => undefined, ended: () => undefined, broke: () => undefined };
  const controller = { aborted: false, paused: false, reason: null, rawHeaders: [] };
  const parts = { ...controller, abort: () => undefined, pause: () => undefined, resume: () => undefined };
  const before = await heldBytes();
  const exchanges = Array.from({ length: 400 }, () => {
    const exchange = new Exchange(SENDER_LIMITS, ends);
    exchange.onResponseStart(parts, 200, {});
    exchange.onResponseData(parts, Buffer.alloc(65_536, "x"));
    return exchange;
  });
  // 4 kB of each, not 64.
  expect((await heldBytes()) - before).toBeLessThan(400 * 12_000);
  expect(exchanges.every((one) => one.body().bytes.equals(Buffer.alloc(4_096, "x")))).toBe(true);
});
