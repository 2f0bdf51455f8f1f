import type { LookupAddress } from "node:dns";
import type { ServerResponse } from "node:http";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { HttpFarEnd } from "../support/http-far-end.ts";
import { TestIngest } from "../support/ingest.ts";
import { until } from "../support/until.ts";
import { walkLines } from "../support/walk.ts";

const AT = Date.UTC(2026, 0, 1);
const reading = (n: number) => ({ id: "mast", rssi: -n, at: AT + n });
const strengths = async (ingest: TestIngest) => (await ingest.lines()).map(({ strength }) => -strength);
const poll = (far: HttpFarEnd, more: object = {}) => ({
  type: "http-poll",
  url: far.url,
  intervalSeconds: 1,
  ...more,
});
const reasonOf = async (ingest: TestIngest, id: Parameters<TestIngest["status"]>[0]) =>
  (await ingest.status(id))?.stateReason ?? "";

describe("a source that is polled", () => {
  it("takes the readings of every answer, each once, with its own headers, method and body", async () => {
    const ingest = await TestIngest.start();
    const far = await HttpFarEnd.start((response, _asked, number) => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify([reading(2 * number), reading(2 * number + 1)]));
    });
    const headers = { "X-Key": "s3cret", "User-Agent": "mine" };
    const id = await ingest.create(poll(far, { method: "POST", headers, body: { query: "all" } }));
    await until("two polls", async () => (await ingest.lines()).length >= 4);
    await until("the counters", async () => ((await ingest.status(id))?.counters.readings ?? 0) >= 4);
    expect((await strengths(ingest)).slice(0, 4)).toEqual([2, 3, 4, 5]);
    expect(await ingest.status(id)).toMatchObject({ state: "connected", stateReason: null });
    expect(far.asked[0]).toMatchObject({
      method: "POST",
      body: '{"query":"all"}',
      headers: { "x-key": "s3cret", "user-agent": "mine", "content-type": "application/json" },
    });
    expect(far.asked[0]?.url.searchParams.get("token")).toBe("hidden");
    await ingest.stop();
    expect((await ingest.events())[0]).toBe("source.connected");
  });

  it("goes on from its cursor over a restart, and asks for nothing that it has had", async () => {
    const ingest = await TestIngest.start();
    const far = await HttpFarEnd.start((response, { url }) => {
      const from = Number(url.searchParams.get("after") ?? 0);
      const items = [1, 2, 3].map((step) => reading(from + step));
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ items, meta: { last: from + 3 } }));
    });
    const mapping = { each: "$.items[*]", signal: "$.id", strength: "$.rssi", at: "$.at" };
    const cursor = { path: "$.meta.last", parameter: "after" };
    await ingest.create(poll(far, { mapping, cursor }));
    // An answer that a stop breaks off is asked for again, and rightly so.
    await until("two polls to be taken", async () => (await strengths(ingest)).length >= 6);
    await ingest.restart();
    const before = far.asked.length;
    await until("two more", () => far.asked.length >= before + 2);
    await ingest.stop();
    const had = await strengths(ingest);
    expect(had).toEqual(had.map((_, index) => index + 1));
    const afters = far.asked.map(({ url }) => url.searchParams.get("after"));
    expect(afters.slice(0, 2)).toEqual([null, "3"]);
    expect(new Set(afters).size).toBe(afters.length);
  });

  it("forgets its cursor when it is told of another feed", async () => {
    const ingest = await TestIngest.start();
    const far = await HttpFarEnd.start((response) => {
      response.end('{"id":"a","dbm":-70,"next":"n1"}');
    });
    const cursor = { path: "$.next", parameter: "after" };
    const id = await ingest.create(poll(far, { cursor }));
    await until("a cursor", () => far.asked.some(({ url }) => url.searchParams.get("after") === "n1"));
    const before = far.asked.length;
    await ingest.change(id, { url: `http://127.0.0.1:${far.port}/other` });
    await until("the other feed", () => far.asked.length > before + 1);
    const others = far.asked.filter(({ url }) => url.pathname === "/other");
    expect(others[0]?.url.searchParams.get("after")).toBeNull();
  });

  it("takes nothing twice that has not changed (ETag and 304), also after a restart", async () => {
    const ingest = await TestIngest.start();
    const far = await HttpFarEnd.start((response, { headers }) => {
      if (headers["if-none-match"] === '"v1"') response.writeHead(304).end();
      else response.writeHead(200, { etag: '"v1"' }).end(JSON.stringify(reading(7)));
    });
    const id = await ingest.create(poll(far));
    await until("a 304", () => far.asked.length >= 2);
    await ingest.restart();
    await until("another", () => far.asked.length >= 4);
    expect(await strengths(ingest)).toEqual([7]);
    expect(await ingest.status(id)).toMatchObject({ state: "connected", counters: { messages: 1 } });
    expect(far.asked.slice(1).every(({ headers }) => headers["if-none-match"] === '"v1"')).toBe(true);
  });

  it("waits as long as Retry-After asks, says so, and comes back", async () => {
    const ingest = await TestIngest.start();
    const far = await HttpFarEnd.start((response, _asked, number) => {
      if (number === 1) response.writeHead(429, { "retry-after": "2" }).end();
      else response.end(JSON.stringify(reading(number)));
    });
    const id = await ingest.create(poll(far));
    const began = performance.now();
    await until("the wait", async () => (await ingest.status(id))?.state === "waiting");
    expect(await reasonOf(ingest, id)).toBe("it answered HTTP 429 Too Many Requests; trying again in 2.0 s");
    await until("the second poll", () => far.asked.length === 2);
    expect(performance.now() - began).toBeGreaterThan(1_900);
    await until("the connection", async () => (await ingest.status(id))?.state === "connected");
    expect((await ingest.status(id))?.counters.reconnects).toBe(1);
  });

  const faults: Record<string, [(response: ServerResponse) => void, string]> = {
    "answers 500": [
      (response) => response.writeHead(500).end(),
      "it answered HTTP 500 Internal Server Error",
    ],
    "redirects, to a private address": [
      (response) => response.writeHead(302, { location: "http://169.254.169.254/latest" }).end(),
      "it redirects (HTTP 302)",
    ],
    "is cut in the middle": [
      (response) => {
        response.writeHead(200, { "content-length": "100" });
        response.write('{"id":');
        setTimeout(() => response.destroy(), 20);
      },
      "it closed the connection in the middle",
    ],
    "is too slow": [
      (response) => void response.writeHead(200).write('{"id":'),
      "it did not answer in full within 0.3 s",
    ],
    "sends a gzip bomb": [
      (response) => response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(Buffer.alloc(1e7))),
      "it sent an answer of more than 20000 bytes",
    ],
    "sends a broken brotli": [
      (response) => response.writeHead(200, { "content-encoding": "br" }).end("no brotli"),
      "its body is no valid br",
    ],
    "never ends": [
      (response) => {
        const more = () => {
          if (!response.destroyed) response.write("x".repeat(10_000), () => setImmediate(more));
        };
        more();
      },
      "it sent an answer of more than 20000 bytes",
    ],
    "closes at once": [(response) => response.destroy(), "it closed the connection in the middle"],
  };
  it("is asked again later, whatever went wrong, and says in words what it was", async () => {
    const ingest = await TestIngest.start({ settings: { maxPayloadBytes: 20_000 } });
    const asked = Object.entries(faults).map(async ([name, [fault, reason]], n) => {
      let mended = false;
      const far = await HttpFarEnd.start((response) => {
        if (mended) response.end(JSON.stringify(reading(n)));
        else fault(response);
      });
      const id = await ingest.create(poll(far, { timeoutSeconds: 0.3, intervalSeconds: 30 }));
      await until(`the reason of what ${name}`, async () => (await reasonOf(ingest, id)).includes(reason));
      expect(await reasonOf(ingest, id)).not.toContain("hidden");
      mended = true;
      await until("the next answer", async () => (await ingest.status(id))?.counters.readings === 1);
      expect((await ingest.status(id))?.counters.reconnects).toBeGreaterThan(0);
    });
    await Promise.all(asked);
  });

  it("reads packed answers, and an answer of lines line by line", async () => {
    const ingest = await TestIngest.start();
    const lines = [1, 2, 3].map((n) => JSON.stringify(reading(n))).join("\r\n\n");
    const far = await HttpFarEnd.start((response) => {
      const headers = { "content-encoding": "br", "content-type": "application/x-ndjson" };
      response.writeHead(200, headers).end(brotliCompressSync(`${lines}\n`));
    });
    await ingest.create(poll(far, { intervalSeconds: 1000 }));
    await until("the readings", async () => (await ingest.lines()).length === 3);
    expect(far.asked[0]?.headers["accept-encoding"]).toBe("gzip, deflate, br");
  });

  it("is never asked at a link-local address, nor at a private one where that is not allowed", async () => {
    const ingest = await TestIngest.start({ settings: { allowPrivate: false } });
    for (const url of [
      "http://169.254.169.254/latest",
      "http://[fe80::1]/",
      "http://0x7f.1/",
      "http://10.0.0.1/",
    ]) {
      const id = await ingest.create({ type: "http-poll", url });
      await until("the refusal", async () => (await ingest.status(id))?.state === "failed");
      expect(await reasonOf(ingest, id)).toMatch(/link-local|private network/);
    }
  });

  it("is not followed to where its name points later, if that is no allowed address", async () => {
    let address = "127.0.0.1";
    const lookup = (
      _host: string,
      _options: object,
      callback: (error: null, found: LookupAddress[]) => void,
    ) => callback(null, [{ address, family: 4 }]);
    const ingest = await TestIngest.start({ settings: { lookup } });
    const far = await HttpFarEnd.start((response) => {
      response.writeHead(200, { connection: "close" }).end(JSON.stringify(reading(1)));
    });
    const id = await ingest.create({ ...poll(far), url: `http://feed.example:${far.port}/` });
    await until("a poll", async () => (await ingest.status(id))?.state === "connected");
    address = "169.254.169.254";
    await until("the refusal", async () => (await reasonOf(ingest, id)).includes("link-local"));
    const asked = far.asked.length;
    address = "127.0.0.1";
    await until("the next poll", () => far.asked.length > asked);
  });

  const lines = walkLines() ?? [];
  it.skipIf(lines.length === 0)("carries a real walk to the log, page by page, where present", async () => {
    const PAGE = 200;
    const ingest = await TestIngest.start();
    const far = await HttpFarEnd.start((response, { url }) => {
      const page = Number(url.searchParams.get("page") ?? 0);
      const from = page * PAGE;
      const messages = lines.slice(from, from + PAGE).map((line) => JSON.parse(line));
      const answer = { messages, next: Math.min(page + 1, Math.ceil(lines.length / PAGE)) };
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
    });
    // Each message as an element of its own: one gateway has heard every one of this walk.
    const mapping = {
      each: "$.messages[?@.uplink_message]",
      signal: "{$.end_device_ids.device_id}/{$.uplink_message.rx_metadata[0].gateway_ids.gateway_id}",
      strength: "$.uplink_message.rx_metadata[0].rssi",
      at: "$.received_at",
    };
    const cursor = { path: "$.next", parameter: "page" };
    const id = await ingest.create(poll(far, { mapping, cursor }));
    await until("all accepted", async () => (await ingest.status(id))?.counters.readings === 511);
    const expected = lines.flatMap((line) => {
      const { received_at, uplink_message } = JSON.parse(line);
      return uplink_message === undefined
        ? []
        : [[Date.parse(received_at), uplink_message.rx_metadata[0].rssi]];
    });
    expect((await ingest.lines()).map(({ atMs, strength }) => [atMs, strength])).toEqual(expected);
  });
});
