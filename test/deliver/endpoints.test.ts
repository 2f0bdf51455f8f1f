import type { Socket } from "node:net";
import { expect, test } from "vitest";
import { Delivering } from "../support/deliver.ts";
import { RawFarEnd } from "../support/raw-far-end.ts";
import { startReceiver } from "../support/receiver.ts";
import { tlsFront } from "../support/tls-front.ts";

const OK = "HTTP/1.1 200 OK\r\n";
const EMPTY = "Content-Length: 0\r\n\r\n";
const GIGABYTE = 2 ** 30;

const raw = async (answer: (socket: Socket) => void): Promise<string> => (await RawFarEnd.start(answer)).url;
const says = (bytes: string | Buffer) => raw((socket) => socket.write(bytes));

let floodedBytes = 0;
const flood = (socket: Socket): void => {
  while (!socket.destroyed && floodedBytes < GIGABYTE) {
    floodedBytes += 2 ** 16;
    if (!socket.write(Buffer.alloc(2 ** 16, "z"))) return void socket.once("drain", () => flood(socket));
  }
};

const open = (code: string, detail: RegExp, more: object = {}) => ({
  status: "pending",
  attempt: { code, responseStatus: null, detail: expect.stringMatching(detail), ...more },
});
const answered = (responseStatus: number, detail: RegExp, more: object = {}) => ({
  status: responseStatus < 300 ? "delivered" : "pending",
  attempt: { code: null, responseStatus, detail: expect.stringMatching(detail), ...more },
});

/** What an endpoint does, and what its owner sees of it. */
const endpoints = (own: Delivering) =>
  ({
    hangs: [says(""), open("timeout", /took the request, and said nothing/, { durationMs: 15_000 })],
    "drips a byte a second": [
      raw((socket) => {
        socket.write(`${OK}Content-Length: 1000\r\n\r\n`);
        own.clock.every(1_000, () => socket.write("x"));
      }),
      open("timeout", /the body of its HTTP 200 did not end/, {
        responseBody: expect.stringMatching(/^x+$/),
      }),
    ],
    "sends 1 GB": [
      raw((socket) => {
        socket.write(`${OK}Content-Length: ${GIGABYTE}\r\n\r\n`);
        flood(socket);
      }),
      answered(200, /^Delivered/, { responseBody: "z".repeat(4_096) }),
    ],
    "sends 1 GB of headers": [
      raw((socket) => {
        socket.write(`${OK}X-Large: `);
        flood(socket);
      }),
      open("response_invalid", /its headers are larger than 16 kB/),
    ],
    "sends 1 GB without saying how much": [
      raw((socket) => {
        socket.write(`${OK}\r\n`);
        flood(socket);
      }),
      answered(200, /^Delivered/, { responseBody: "z".repeat(4_096) }),
    ],
    "says first that it goes on": [
      says(`HTTP/1.1 100 Continue\r\n\r\n${OK}${EMPTY}`),
      answered(200, /^Delivered/, { responseBody: "" }),
    ],
    "closes at once": [raw((socket) => socket.end()), open("connection_closed", /without a byte/)],
    "closes midway": [
      raw((socket) => socket.end(`${OK}Content-Length: 9\r\n\r\nhal`)),
      open("connection_closed", /in the middle of the body/, { responseBody: "hal" }),
    ],
    "redirects into the cloud": [
      says(`HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/latest/meta-data\r\n${EMPTY}`),
      answered(302, /redirects, which is not followed/),
    ],
    "is in the cloud": ["http://169.254.169.254/latest", open("address_refused", /link-local/)],
    "has a certificate of its own making": [
      tlsFront("http://127.0.0.1:9"),
      open("tls_failed", /signed itself|self.signed|not trusted/),
    ],
    "never speaks TLS": [
      says("").then((url) => url.replace("http:", "https:")),
      open("connection_timeout", /the TLS handshake did not end/),
    ],
    "sends junk": [says("\u0000\u0001junk\r\n\r\n"), open("response_invalid", /not HTTP/)],
    "answers 200 with junk": [
      says(
        Buffer.concat([Buffer.from(`${OK}Content-Length: 6\r\n\r\n`), Buffer.from([0, 27, 0xff, 65, 7, 66])]),
      ),
      answered(200, /^Delivered/, { responseBody: "\uFFFDAB" }),
    ],
    "does not know the secret": [says(`HTTP/1.1 401 No\r\n${EMPTY}`), answered(401, /check the secret/)],
    "is not there": ["http://127.0.0.1:9/hook", open("connection_refused", /Nothing listens/)],
  }) as const;

test("whatever an endpoint does, its owner sees it within 15 s, and others do not feel it", async () => {
  const own = await Delivering.open();
  const healthy = await startReceiver();
  await own.subscribe(healthy.url);
  const rows = await Promise.all(
    Object.entries(endpoints(own)).map(async ([name, [url, expected]]) => ({
      name,
      expected,
      webhook: await own.subscribe(await url),
    })),
  );
  const heapBefore = process.memoryUsage().rss;
  await own.start();
  const beganAt = own.clock.now();
  await own.happen();
  await own.passing("the healthy one to have it", () => healthy.received.length === 1);
  expect(own.clock.now() - beganAt).toBeLessThan(5_000);
  const seen = await own.passing("an attempt at each", async () => {
    const all = await Promise.all(rows.map(({ webhook }) => own.deliveries(webhook.id)));
    return all.every(([delivery]) => (delivery?.attempts.length ?? 0) > 0) && all;
  });
  expect(own.clock.now() - beganAt).toBeLessThan(20_000);
  const shown = rows.map(({ name }, i) => {
    const [delivery] = seen[i] ?? [];
    return [name, { status: delivery?.status, attempt: delivery?.attempts[0] }];
  });
  expect(Object.fromEntries(shown)).toMatchObject(
    Object.fromEntries(rows.map(({ name, expected }) => [name, expected])),
  );
  for (const [delivery] of seen)
    expect(delivery?.nextAttemptAt === null).toBe(delivery?.status === "delivered");
  expect(floodedBytes).toBeLessThan(2 ** 25);
  expect(process.memoryUsage().rss - heapBefore).toBeLessThan(2 ** 28);
});
