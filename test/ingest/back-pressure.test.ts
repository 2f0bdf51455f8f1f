import { describe, expect, it } from "vitest";
import type { SourceId } from "../../schemas/common.ts";
import type { EventLog } from "../../src/ports/event-log.ts";
import { FarEnd } from "../support/far-end.ts";
import { FaultyLog } from "../support/faulty-log.ts";
import { TestIngest } from "../support/ingest.ts";
import { until } from "../support/until.ts";

const START = Date.UTC(2026, 0, 1);
/** Frame `n` of readings that say their own number: signal `n mod 7`, time `START + n`. */
const frame = (n: number, readings = 50) =>
  JSON.stringify(
    Array.from({ length: readings }, (_, i) => ({
      id: `s${(n * readings + i) % 7}`,
      rssi: -70,
      at: START + n * readings + i,
    })),
  );

/** Sends to every client as much as it takes, and so many bytes ahead. */
const flooding = (aheadBytes: number) => {
  let n = 0;
  return FarEnd.start((client) => {
    const timer = setInterval(() => {
      while (client.bufferedAmount < aheadBytes) client.send(frame(n++, 100));
    }, 1);
    client.on("close", () => clearInterval(timer));
  });
};

const faulty = async () => {
  let log: FaultyLog | null = null;
  const wrap = (real: EventLog) => {
    log = new FaultyLog(real);
    return log;
  };
  const ingest = await TestIngest.start({ wrap });
  if (log === null) throw new Error("not wrapped");
  return { ingest, log: log as FaultyLog };
};

const flows = async (ingest: TestIngest, id: SourceId): Promise<boolean[]> => {
  const own = (await ingest.changes()).flatMap((change) =>
    change.type === "sourceFlow" && change.sourceId === id ? change.paused : [],
  );
  // Each is written to all three partitions, which are read one after the other.
  return own.slice(0, own.length / 3);
};

const expectAllInOrder = async (ingest: TestIngest, readings: number) => {
  const lines = await ingest.lines();
  expect(lines.map(({ atMs }) => atMs - START).sort((a, b) => a - b)).toEqual(
    Array.from({ length: readings }, (_, n) => n),
  );
  const newest = new Map<string, number>();
  for (const { signalId, atMs } of lines) {
    expect(atMs).toBeGreaterThan(newest.get(signalId) ?? 0);
    newest.set(signalId, atMs);
  }
};

describe("ingest on a log that refuses", () => {
  it("loses nothing, doubles nothing and keeps each signal's order, however often appends are refused", async () => {
    const { ingest, log } = await faulty();
    log.refusalRate = 0.5;
    const far = await FarEnd.start((client) => {
      let n = 0;
      const timer = setInterval(() => (n < 100 ? client.send(frame(n++)) : clearInterval(timer)), 2);
    });
    const id = await ingest.create({ type: "websocket", url: far.url });
    await until(
      "5,000 accepted readings",
      async () => (await ingest.status(id))?.counters.readings === 5_000,
    );
    await expectAllInOrder(ingest, 5_000);
  });

  it("pauses its sources and says why, keeps what it took, and tells the log of it once it can", async () => {
    const { ingest, log } = await faulty();
    const far = await FarEnd.start();
    const id = await ingest.create({ type: "websocket", url: far.url });
    await until("the connection", () => far.server.clients.size === 1);
    await until("the start", async () => (await flows(ingest, id)).length === 1);
    log.refused.add("readings");
    far.send(frame(0));
    const status = await until("the pause", async () => {
      const found = await ingest.status(id);
      return found?.state === "paused" ? found : null;
    });
    expect(status.stateReason).toBe("the log cannot be written: waiting for it");
    expect(status.counters).toMatchObject({ messages: 1, readings: 0 });
    expect(ingest.worker.health()).toMatchObject([{ name: "ingest", state: "degraded" }]);
    for (let n = 1; n < 20; n++) far.send(frame(n));
    log.refused.clear();
    await until("all accepted", async () => (await ingest.status(id))?.counters.readings === 1_000);
    await until("the flow", async () => (await ingest.status(id))?.state === "connected");
    await expectAllInOrder(ingest, 1_000);
    expect((await flows(ingest, id)).at(-1)).toBe(false);
    expect(ingest.worker.health()).toMatchObject([{ name: "ingest", state: "ok" }]);
  });

  it("does not blame a far end for a handshake that it does not read, and goes through it afterwards", async () => {
    const { ingest, log } = await faulty();
    const far = await FarEnd.start();
    const flowing = await ingest.create({ type: "websocket", url: far.url });
    await until("the connection", () => far.server.clients.size === 1);
    log.refused.add("readings");
    far.send(frame(0));
    await until("the pause", async () => (await ingest.status(flowing))?.state === "paused");
    const answering = await FarEnd.start((client) => client.on("message", () => client.send("auth_ok")));
    const id = await ingest.create({
      type: "websocket",
      url: answering.url,
      handshake: [{ send: "login" }, { expect: "auth_ok", timeoutSeconds: 0.2 }],
    });
    await until("the login", () => answering.requests.length === 1);
    await until("the pause", async () => (await ingest.status(id))?.state === "paused");
    const began = performance.now();
    await until("more than the handshake's time", () => performance.now() - began > 400);
    expect(answering.requests).toHaveLength(1);
    log.refused.clear();
    await until("the connection", async () => (await ingest.status(id))?.state === "connected");
    expect(answering.requests).toHaveLength(1);
  });

  it("takes in nothing more of a flooding source that is switched off while it is held back", async () => {
    const { ingest, log } = await faulty();
    const far = await flooding(4_000_000);
    const id = await ingest.create({ type: "websocket", url: far.url });
    await until("a flow", async () => ((await ingest.status(id))?.counters.readings ?? 0) > 1_000);
    log.refused.add("readings");
    const heard = async () => (await ingest.status(id))?.counters.messages ?? 0;
    await until("the pause", async () => (await ingest.status(id))?.state === "paused");
    const before = await heard();
    await ingest.change(id, { enabled: false });
    await until("the end", () => far.server.clients.size === 0);
    expect(await heard()).toBe(before);
  });

  it("waits for room in a full log, with its sources paused in every partition's eyes, and goes on from there", async () => {
    const ingest = await TestIngest.start({ maxBytes: 1_500_000 });
    const far = await FarEnd.start();
    const id = await ingest.create({ type: "websocket", url: far.url });
    await until("the connection", () => far.server.clients.size === 1);
    let sent = 0;
    await until("a full log", async () => {
      for (let i = 0; i < 4 && sent < 400; i++) far.send(frame(sent++, 500));
      return (await ingest.status(id))?.state === "paused";
    });
    expect((await ingest.status(id))?.stateReason).toContain("LOG_MAX_BYTES");
    await until("the announced pause", async () => (await flows(ingest, id)).at(-1) === true);
    const times = new Set<number>();
    await until("the rest", async () => {
      const bounds = await ingest.log.bounds("readings");
      for (const { atMs } of await ingest.lines()) times.add(atMs);
      for (const { partition, end } of bounds) await ingest.log.trim("readings", partition, end);
      return times.size === sent * 500;
    });
    await until("the counter", async () => (await ingest.status(id))?.counters.readings === sent * 500);
    await until("the flow", async () => (await ingest.status(id))?.state === "connected");
  });

  it("gives every one of many flooding sources its turn, however little room there is", async () => {
    const ingest = await TestIngest.start({ settings: { inflightBytesMax: 100_000 } });
    const far = await flooding(500_000);
    const ids: SourceId[] = [];
    for (let source = 0; source < 20; source++)
      ids.push(await ingest.create({ type: "websocket", url: far.url }));
    const readings = async () =>
      Promise.all(ids.map(async (id) => (await ingest.status(id))?.counters.readings ?? 0));
    await until("readings of each", async () => (await readings()).every((count) => count > 5_000));
  });

  it("stops within its time when the log stays away, and counts what was never accepted", async () => {
    const { ingest, log } = await faulty();
    const far = await FarEnd.start();
    await ingest.create({ type: "websocket", url: far.url });
    await until("the connection", () => far.server.clients.size === 1);
    far.send(frame(0));
    await until("the first lines", async () => (await ingest.lines()).length === 50);
    log.refused.add("readings");
    far.send(frame(1));
    await until("a refusal", async () => (await ingest.metric("ingest_append_failures_total")) > 0);
    const began = performance.now();
    await ingest.stop();
    expect(performance.now() - began).toBeLessThan(8_000);
    expect(await ingest.metric("ingest_abandoned_readings_total")).toBe(50);
  });

  it("leaves its sources behind as paused when it stops, and flows again when it is back", async () => {
    const ingest = await TestIngest.start();
    const id = await ingest.create({ type: "simulator" });
    await until("the start", async () => (await flows(ingest, id)).length === 1);
    await ingest.stop();
    expect(await flows(ingest, id)).toEqual([false, true]);
    await ingest.restart();
    await until("the flow", async () => (await flows(ingest, id)).length === 3);
    expect(await flows(ingest, id)).toEqual([false, true, false]);
  });
});
