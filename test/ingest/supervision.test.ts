import { describe, expect, it } from "vitest";
import type { SourceId } from "../../schemas/common.ts";
import { FarEnd } from "../support/far-end.ts";
import { TestIngest } from "../support/ingest.ts";
import { until } from "../support/until.ts";

const reading = (id: string) => JSON.stringify({ id, rssi: -70 });

describe("sources under supervision", () => {
  it("are started, moved to newer settings, disabled and stopped as topic `sources` says", async () => {
    const ingest = await TestIngest.start();
    const [one, two] = [await FarEnd.start(), await FarEnd.start()];
    const id = await ingest.create({ type: "websocket", url: one.url });
    await until("the first address", () => one.server.clients.size === 1);
    await ingest.change(id, { url: two.url });
    await until("the second address", () => two.server.clients.size === 1 && one.server.clients.size === 0);
    await ingest.change(id, { enabled: false });
    await until("nobody connected", () => two.server.clients.size === 0);
    await until("the state", async () => (await ingest.status(id))?.state === "disabled");
    await ingest.change(id, { enabled: true });
    await until("the second address again", () => two.server.clients.size === 1);
    await ingest.remove(id);
    await until("nobody connected any more", () => two.server.clients.size === 0);
    const events = await until("the last event", async () => {
      const found = await ingest.events();
      return found.length >= 5 ? found : null;
    });
    expect(events.filter((event) => event !== "source.connected")).toEqual([
      "source.disconnected: the source was disabled",
      "source.disconnected: the source was deleted",
    ]);
  });

  it("keep their connection under a new name, which events show, and open another for all else", async () => {
    let found = 0;
    const ingest = await TestIngest.start({
      wrapControl: (control) => {
        const find = async (id: SourceId) => {
          const source = await control.sources.find(id);
          found = source?.revision ?? 0;
          return source;
        };
        return { ...control, sources: { ...control.sources, find } };
      },
    });
    const far = await FarEnd.start();
    const id = await ingest.create({ type: "websocket", url: far.url });
    await until("the connection", () => far.server.clients.size === 1);
    await ingest.change(id, { name: "renamed" });
    await until("the new name", () => found === 2);
    far.send(reading("a"));
    await until("the reading", async () => (await ingest.lines()).length === 1);
    expect(far.requests).toHaveLength(1);
    for (const client of far.server.clients) client.terminate();
    await until("its events", async () => (await ingest.sourceNames()).length === 3);
    expect(await ingest.sourceNames()).toEqual(["test", "renamed", "renamed"]);
    await ingest.change(id, { unknownSignals: "reject" });
    await until("another connection", () => far.requests.length === 3);
  });

  it("go on counting after a restart of the process", async () => {
    const ingest = await TestIngest.start();
    const far = await FarEnd.start((client) => client.send(reading("a")));
    const id = await ingest.create({ type: "websocket", url: far.url });
    for (let starts = 1; starts <= 3; starts++) {
      await until("the reading", async () => (await ingest.lines()).length === starts);
      await ingest.restart();
    }
    await until("the last reading", async () => (await ingest.lines()).length === 4);
    await until("the counters", async () => (await ingest.status(id))?.counters.readings === 4);
    expect((await ingest.status(id))?.counters.messages).toBe(4);
  });

  it("do not delay each other: a flood of one leaves another's readings on time", async () => {
    const ingest = await TestIngest.start();
    const frame = JSON.stringify(Array.from({ length: 500 }, (_, i) => ({ id: `flood-${i}`, rssi: -70 })));
    const flood = await FarEnd.start((client) => {
      const pump = () => {
        while (client.readyState === client.OPEN && client.bufferedAmount < 1_000_000) client.send(frame);
        if (client.readyState === client.OPEN) setImmediate(pump);
      };
      pump();
    });
    const junk = await FarEnd.start((client) => {
      const pump = () => {
        for (let i = 0; i < 100 && client.bufferedAmount < 100_000; i++) client.send("{".repeat(100));
        if (client.readyState === client.OPEN) setImmediate(pump);
      };
      pump();
    });
    const calm = await FarEnd.start();
    const began = performance.now();
    const flooding = await ingest.create({ type: "websocket", url: flood.url });
    const rubbish = await ingest.create({ type: "websocket", url: junk.url });
    const id = await ingest.create({ type: "websocket", url: calm.url });
    const messages = async () => (await ingest.status(id))?.counters.messages ?? 0;
    await until("the connection", () => calm.server.clients.size === 1);
    for (let n = 1; n <= 5; n++) {
      const sent = Date.now();
      calm.send(reading("calm"));
      await until("its message", async () => (await messages()) >= n);
      const at = (await ingest.status(id))?.lastMessageAt ?? 0;
      expect(at - sent).toBeLessThan(1_000);
    }
    expect((await ingest.status(flooding))?.counters.readings).toBeGreaterThan(10_000);
    const rejected = (await ingest.status(rubbish))?.counters.rejected ?? 0;
    expect(rejected).toBeGreaterThan(1_000);
    const seconds = Math.ceil((performance.now() - began) / 1_000) + 1;
    expect((await ingest.rejections(rubbish)).length).toBeLessThanOrEqual(10 * seconds);
  });

  it("survive a record of the topic that makes no sense", async () => {
    const ingest = await TestIngest.start();
    const value = new TextEncoder().encode("{");
    await ingest.log.append("sources", [
      { key: "nonsense", value },
      { key: "src_01JDA2V3Q8R5T7W9Y1B3D5F7H9", value },
    ]);
    const far = await FarEnd.start();
    await ingest.create({ type: "websocket", url: far.url });
    await until("the connection", () => far.server.clients.size === 1);
  });
});
