import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { readChange } from "../../src/domain/records.ts";
import type { EventLog } from "../../src/ports/event-log.ts";
import { FarEnd } from "../support/far-end.ts";
import { FaultyLog, Standstill } from "../support/faulty-log.ts";
import { HttpFarEnd } from "../support/http-far-end.ts";
import { recordsOf, TestIngest } from "../support/ingest.ts";
import { until } from "../support/until.ts";

const AT = Date.UTC(2026, 0, 1);
const reading = (n: number) => ({ id: "mast", rssi: -n, at: AT + n });
const strengths = async (ingest: TestIngest) => (await ingest.lines()).map(({ strength }) => -strength);
type Id = Parameters<TestIngest["status"]>[0];
const readings = async (ingest: TestIngest, id: Id) => (await ingest.status(id))?.counters.readings ?? 0;

const starting = async () => {
  const standstill = new Standstill();
  const ingest = await TestIngest.start({ wrap: (log) => standstill.wrap(log) });
  return { standstill, ingest };
};

const connected = async () => {
  const { standstill, ingest } = await starting();
  const far = await FarEnd.start();
  const id = await ingest.create({ type: "websocket", url: far.url });
  await until("the connection", async () => (await ingest.status(id))?.state === "connected");
  far.send(reading(1));
  await until("the first reading", async () => (await readings(ingest, id)) === 1);
  return { standstill, ingest, far, id };
};

/** What the worker says of its doubt, which it notices by what it finds in its sockets. */
const noticed = (ingest: TestIngest) =>
  until("the doubt", async () => (await ingest.metric("ingest_lease_doubted_total")) === 1);
const broken = (ingest: TestIngest, id: Id) =>
  until("the break", async () => (await ingest.status(id))?.state === "waiting");

describe("a worker that stood still", () => {
  it("accepts nothing of what waited for it once its source is another's, and counts that", async () => {
    const { standstill, ingest, far } = await connected();
    standstill.isDoubted = true;
    for (let n = 2; n < 100; n++) far.send(reading(n));
    await noticed(ingest);
    await standstill.lose();
    await until("the end of the connection", () => far.server.clients.size === 0);
    await ingest.stop();
    expect(await strengths(ingest)).toEqual([1]);
    expect(await ingest.events()).toEqual(["source.connected"]);
    expect(await ingest.metric("ingest_source_lost_total")).toBe(1);
  });

  it("takes all of it when its source turns out to be its own still", async () => {
    const { standstill, ingest, far, id } = await connected();
    standstill.isDoubted = true;
    for (let n = 2; n < 100; n++) far.send(reading(n));
    await noticed(ingest);
    expect(await strengths(ingest)).toEqual([1]);
    standstill.isDoubted = false;
    await until("the readings", async () => (await readings(ingest, id)) === 99);
    expect(await strengths(ingest)).toEqual(Array.from({ length: 99 }, (_, n) => n + 1));
    expect(await ingest.metric("ingest_source_lost_total")).toBe(0);
  });

  it("tells of no broken connection, and makes no new one, for a source that is another's", async () => {
    const { standstill, ingest, far, id } = await connected();
    standstill.isDoubted = true;
    far.send(reading(2));
    await noticed(ingest);
    for (const client of far.server.clients) client.terminate();
    await broken(ingest, id);
    await standstill.lose();
    await ingest.stop();
    expect(far.requests).toHaveLength(1);
    expect(await ingest.events()).toEqual(["source.connected"]);
    expect(await strengths(ingest)).toEqual([1]);
  });

  it("says nothing more of a source that another has begun to run", async () => {
    const { standstill, ingest, far, id } = await connected();
    const { sources } = ingest.control;
    const { generation = 0, status } = (await sources.claim(id)) ?? {};
    if (status == null) throw new Error("it was saved");
    const theirs = { ...status, stateReason: "runs elsewhere" };
    standstill.isDoubted = true;
    await sources.saveStatus(id, theirs, generation);
    for (const client of far.server.clients) client.terminate();
    const refused = async () => (await ingest.metric("ingest_status_superseded_total")) > 0;
    await until("a refusal", refused);
    await standstill.lose();
    await ingest.stop();
    expect(await ingest.status(id)).toEqual(theirs);
  });

  it("speaks for its source again where another claimed it from before its own standstill", async () => {
    const { ingest, far, id } = await connected();
    await ingest.control.sources.claim(id);
    far.send(reading(2));
    await until("the second reading", async () => (await readings(ingest, id)) === 2);
  });

  it("tells of a broken connection, and makes a new one, once it knows that the source is its own", async () => {
    const { standstill, ingest, far, id } = await connected();
    standstill.isDoubted = true;
    for (const client of far.server.clients) client.terminate();
    await broken(ingest, id);
    expect(await ingest.events()).toEqual(["source.connected"]);
    standstill.isDoubted = false;
    await until("the new connection", () => far.requests.length === 2);
    await until("the events", async () => (await ingest.events()).length === 3);
    expect((await ingest.events())[1]).toMatch(/^source\.disconnected: /);
  });

  it("takes no answer that it had asked for before", async () => {
    const { standstill, ingest } = await starting();
    const held: ServerResponse[] = [];
    const far = await HttpFarEnd.start((response) => void held.push(response));
    await ingest.create({ type: "http-poll", url: far.url, intervalSeconds: 1 });
    const response = await until("the question", () => held[0]);
    standstill.isDoubted = true;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify([reading(1)]));
    await noticed(ingest);
    await standstill.lose();
    await ingest.stop();
    expect(await strengths(ingest)).toEqual([]);
  });

  it("takes nothing of a stream that went on meanwhile", async () => {
    const { standstill, ingest } = await starting();
    const streams: ServerResponse[] = [];
    const far = await HttpFarEnd.start((response) => {
      response
        .writeHead(200, { "content-type": "application/x-ndjson" })
        .write(`${JSON.stringify(reading(1))}\n`);
      streams.push(response);
    });
    const id = await ingest.create({ type: "http-stream", url: far.url });
    await until("the first reading", async () => (await readings(ingest, id)) === 1);
    standstill.isDoubted = true;
    streams[0]?.write(`${JSON.stringify(reading(2))}\n`);
    await noticed(ingest);
    streams[0]?.end(`${JSON.stringify(reading(3))}\n`);
    await standstill.lose();
    await ingest.stop();
    expect(await strengths(ingest)).toEqual([1]);
  });
});

/** What the log says of the source in partition 0: paused or not, in order. */
const flows = async (ingest: TestIngest, id: Id): Promise<boolean[]> => {
  const records = (await recordsOf(ingest.log, "readings")).filter(({ partition }) => partition === 0);
  const changes = records.filter(({ headers }) => headers.kind === "change").map(readChange);
  return changes.flatMap((change) =>
    change.type === "sourceFlow" && change.sourceId === id ? [change.paused] : [],
  );
};

describe("what is said of a source that is held back", () => {
  it("is said while nobody else can have the source, also at a stop", async () => {
    const letGo: (() => Promise<unknown>)[] = [];
    const wrap = (log: EventLog): EventLog => {
      const consume: EventLog["consume"] = (options) =>
        log.consume({
          ...options,
          assigned: async (assignment) => {
            const consumer = await options.assigned(assignment);
            const revoked = async () => {
              await consumer.revoked();
              for (const look of letGo) await look();
            };
            return { startAt: consumer.startAt, records: (batch) => consumer.records(batch), revoked };
          },
        });
      return Object.assign(new FaultyLog(log), { consume });
    };
    const ingest = await TestIngest.start({ wrap });
    const id = await ingest.create({ type: "simulator" });
    await until("the start", async () => (await flows(ingest, id)).length === 1);
    const seen: boolean[][] = [];
    letGo.push(async () => seen.push(await flows(ingest, id)));
    await ingest.stop();
    expect(seen).toEqual([[false, true]]);
    expect(await flows(ingest, id)).toEqual([false, true]);
  });

  it("is not said by a worker whose source may be another's, nor after it is", async () => {
    const standstill = new Standstill();
    const faulty: FaultyLog[] = [];
    const wrap = (log: EventLog) => {
      const refusing = new FaultyLog(log);
      faulty.push(refusing);
      return standstill.wrap(refusing);
    };
    const ingest = await TestIngest.start({ wrap });
    const far = await FarEnd.start();
    const id = await ingest.create({ type: "websocket", url: far.url });
    await until("the connection", async () => (await ingest.status(id))?.state === "connected");
    await until("the start", async () => (await flows(ingest, id)).length === 1);
    faulty[0]?.refused.add("readings");
    far.send(reading(1));
    await until("the pause", async () => (await ingest.status(id))?.state === "paused");
    standstill.isDoubted = true;
    far.send(reading(2));
    await noticed(ingest);
    const since = performance.now();
    await until("a pause that is long enough to be told", () => performance.now() - since > 400);
    faulty[0]?.refused.clear();
    await until("the reading", async () => (await ingest.lines()).length === 1);
    await standstill.lose();
    await ingest.stop();
    expect(await flows(ingest, id)).toEqual([false]);
  });
});
