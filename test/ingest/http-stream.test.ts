import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { FaultyLog } from "../support/faulty-log.ts";
import { HttpFarEnd } from "../support/http-far-end.ts";
import { TestIngest } from "../support/ingest.ts";
import { until } from "../support/until.ts";
import { walkLines } from "../support/walk.ts";

const AT = Date.UTC(2026, 0, 1);
const reading = (n: number) => JSON.stringify({ id: `s${n % 7}`, rssi: -(n % 100), at: AT + n });
const times = async (ingest: TestIngest) =>
  (await ingest.lines()).map(({ atMs }) => atMs - AT).sort((a, b) => a - b);
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);
const stream = (far: HttpFarEnd, more: object = {}) => ({ type: "http-stream", url: far.url, ...more });
type Id = Parameters<TestIngest["status"]>[0];
const reasonOf = async (ingest: TestIngest, id: Id) => (await ingest.status(id))?.stateReason ?? "";
const SSE = { "content-type": "text/event-stream; charset=utf-8" };
const LINES = { "content-type": "application/x-ndjson" };

describe("a source that streams", () => {
  it("takes lines of JSON, however they are cut into pieces", async () => {
    const ingest = await TestIngest.start();
    const far = await HttpFarEnd.start((response) => {
      response.writeHead(200, LINES);
      const text = upTo(500).map(reading).join("\n\r\n");
      for (let from = 0; from < text.length; from += 7) response.write(text.slice(from, from + 7));
      response.write("\n");
    });
    const id = await ingest.create(stream(far, { headers: { Authorization: "Bearer s3cret" } }));
    await until("all accepted", async () => (await ingest.status(id))?.counters.readings === 500);
    expect(await times(ingest)).toEqual(upTo(500));
    expect(await ingest.status(id)).toMatchObject({ state: "connected", counters: { messages: 500 } });
    expect(far.asked[0]?.headers).toMatchObject({
      authorization: "Bearer s3cret",
      "accept-encoding": "identity",
    });
    expect(far.asked[0]?.headers["last-event-id"]).toBeUndefined();
  });

  it("takes server-sent events, and goes on behind the last one, over a break and over a restart", async () => {
    const ingest = await TestIngest.start();
    const far = await HttpFarEnd.start((response, { headers }, number) => {
      const from = Number(headers["last-event-id"]?.toString().slice(2) ?? -1) + 1;
      response.writeHead(200, SSE).write(`retry: 10\r\n: hello\r\n\r\n`);
      for (let n = from; n < from + 10; n++)
        response.write(
          `event: uplink\r\nid: n-${n}\r\ndata: ${reading(n).replace(",", ",\r\ndata:")}\r\n\r\n`,
        );
      response.write(`id: n-99\ndata: ${reading(99)}\n`);
      if (number === 1) response.end();
    });
    const id = await ingest.create(stream(far));
    await until("twenty", async () => (await ingest.status(id))?.counters.readings === 20);
    expect(far.asked[1]?.headers["last-event-id"]).toBe("n-9");
    await until("the place to be saved", async () =>
      (await ingest.control.sources.position(id))?.includes("n-19"),
    );
    await ingest.restart();
    await until("thirty", async () => (await ingest.status(id))?.counters.readings === 30);
    expect(far.asked[2]?.headers["last-event-id"]).toBe("n-19");
    expect(await times(ingest)).toEqual(upTo(30));
    expect((await ingest.status(id))?.counters).toMatchObject({ messages: 30, rejected: 0, reconnects: 1 });
  });

  it("has its last place saved when it is stopped", async () => {
    const ingest = await TestIngest.start();
    const far = await HttpFarEnd.start((response) => {
      response.writeHead(200, SSE).write(`id: x\ndata: ${reading(1)}\n\n`);
    });
    const id = await ingest.create(stream(far));
    await until("the reading", async () => (await ingest.lines()).length === 1);
    await ingest.stop();
    expect(await ingest.control.sources.position(id)).toContain('"lastEventId":"x"');
  });

  it("takes a last line without an end only if the stream ended as it should", async () => {
    const ingest = await TestIngest.start();
    const ends = await HttpFarEnd.start((response, _asked, number) => {
      response.writeHead(200, LINES);
      if (number === 1) response.end(`${reading(1)}\n${reading(2)}`);
    });
    const breaks = await HttpFarEnd.start((response, _asked, number) => {
      response.writeHead(200, LINES).write(`${reading(3)}\n{"id":"s","rssi":-7`);
      if (number === 1) setTimeout(() => response.destroy(), 20);
    });
    await ingest.create(stream(ends));
    const broken = await ingest.create(stream(breaks));
    await until("the readings", async () => (await ingest.lines()).length >= 3);
    await until("the break", async () => ((await ingest.status(broken))?.counters.reconnects ?? 0) > 0);
    expect((await ingest.status(broken))?.counters.rejected).toBe(0);
    expect((await times(ingest)).slice(0, 3)).toEqual([1, 2, 3]);
  });

  const faults: Record<string, [(response: ServerResponse) => void, string]> = {
    "refuses it": [(response) => response.writeHead(401).end(), "it answered HTTP 401 Unauthorized"],
    "redirects it": [
      (response) => response.writeHead(301, { location: "http://169.254.169.254/" }).end(),
      "it redirects (HTTP 301)",
    ],
    "sends a page": [
      (response) => response.writeHead(200, { "content-type": "text/html" }).end("<p>"),
      "it sent text/html, which is neither server-sent events nor NDJSON",
    ],
    "packs it": [
      (response) => response.writeHead(200, { ...LINES, "content-encoding": "gzip" }).end(),
      "it sent the encoding gzip, which was not asked for",
    ],
    "sends a line without end": [
      (response) => {
        response.writeHead(200, LINES);
        const more = () => {
          if (!response.destroyed) response.write("x".repeat(10_000), () => setImmediate(more));
        };
        more();
      },
      "it sent a message of more than 20000 bytes",
    ],
    "sends an event without end": [
      (response) => {
        response.writeHead(200, SSE);
        const more = () => {
          if (!response.destroyed) response.write("data: x\n".repeat(100), () => setImmediate(more));
        };
        more();
      },
      "it sent a message of more than 20000 bytes",
    ],
    "falls silent": [
      (response) => void response.writeHead(200, LINES).write("\n"),
      "it said nothing for 1 s",
    ],
  };
  it("is connected to again, whatever went wrong, and says in words what it was", async () => {
    const ingest = await TestIngest.start({ settings: { maxPayloadBytes: 20_000 } });
    const tried = Object.entries(faults).map(async ([name, [fault, reason]], n) => {
      let mended = false;
      const far = await HttpFarEnd.start((response) => {
        if (mended) response.writeHead(200, LINES).write(`${reading(n)}\n`);
        else fault(response);
      });
      const id = await ingest.create(stream(far, { idleTimeoutSeconds: 1 }));
      await until(`the reason of one that ${name}`, async () =>
        (await reasonOf(ingest, id)).includes(reason),
      );
      expect(await reasonOf(ingest, id)).not.toContain("hidden");
      mended = true;
      await until("the next stream", async () => (await ingest.status(id))?.counters.readings === 1);
    });
    await Promise.all(tried);
  });

  it("waits as long as Retry-After asks", async () => {
    const ingest = await TestIngest.start();
    const far = await HttpFarEnd.start((response, _asked, number) => {
      if (number === 1) response.writeHead(503, { "retry-after": "1" }).end();
      else response.writeHead(200, LINES).write(`${reading(1)}\n`);
    });
    const began = performance.now();
    await ingest.create(stream(far));
    await until("the second call", () => far.asked.length === 2);
    expect(performance.now() - began).toBeGreaterThan(950);
  });

  it("is read no further while the log refuses, and loses nothing of what it sends meanwhile", async () => {
    let log: FaultyLog | null = null;
    const ingest = await TestIngest.start({
      wrap: (real) => {
        log = new FaultyLog(real);
        return log;
      },
    });
    const COUNT = 60_000;
    let sent = 0;
    const far = await HttpFarEnd.start((response) => {
      response.writeHead(200, LINES);
      const more = () => {
        while (sent < COUNT)
          if (!response.write(`${reading(sent++)}\n`)) return void response.once("drain", more);
      };
      more();
    });
    const faulty = log as FaultyLog | null;
    faulty?.refused.add("readings");
    const id = await ingest.create(stream(far));
    await until("the pause", async () => (await ingest.status(id))?.state === "paused");
    const before = (await ingest.status(id))?.counters.messages ?? 0;
    expect(before).toBeLessThan(COUNT);
    faulty?.refused.clear();
    await until("all accepted", async () => (await ingest.status(id))?.counters.readings === COUNT);
    expect(await times(ingest)).toEqual(upTo(COUNT));
  });

  const lines = walkLines() ?? [];
  it.skipIf(lines.length === 0)(
    "carries a real walk to the log at its own times, where present",
    async () => {
      const ingest = await TestIngest.start();
      const far = await HttpFarEnd.start((response) => {
        response.writeHead(200, LINES).write(`${lines.join("\n")}\n`);
      });
      const id = await ingest.create(stream(far, { mapping: { preset: "ttn-v3" } }));
      await until("all accepted", async () => (await ingest.status(id))?.counters.readings === 511);
      expect((await ingest.status(id))?.counters).toMatchObject({ messages: 512, skipped: 1, rejected: 0 });
      const expected = lines.flatMap((line) => {
        const { received_at, uplink_message } = JSON.parse(line);
        return uplink_message === undefined
          ? []
          : [[Date.parse(received_at), uplink_message.rx_metadata[0].rssi]];
      });
      expect((await ingest.lines()).map(({ atMs, strength }) => [atMs, strength])).toEqual(expected);
    },
  );
});
