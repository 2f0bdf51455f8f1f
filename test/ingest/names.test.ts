import { describe, expect, it } from "vitest";
import type { SignalDefinition } from "../../schemas/change.ts";
import { EventId, type SignalId } from "../../schemas/common.ts";
import type { EventData } from "../../schemas/event.ts";
import { type Signal, SignalCreate } from "../../schemas/signal.ts";
import { eventRecord } from "../../src/domain/records.ts";
import { ControlUnavailableError } from "../../src/ports/control-store.ts";
import { FarEnd } from "../support/far-end.ts";
import { TestIngest } from "../support/ingest.ts";
import { until } from "../support/until.ts";

const externalIds = async (ingest: TestIngest) => {
  const { items } = await ingest.control.signals.list(ingest.accountId, { limit: 500, sort: "name" });
  return items.map(({ definition }) => definition.externalId);
};
const createSignal = async (ingest: TestIngest, name: string, externalId: string | null) => {
  const made = await ingest.control.signals.create(
    ingest.accountId,
    SignalCreate.parse({ name, threshold: 0.2, externalId }),
  );
  if (!made.ok) throw new Error(made.reason);
  return made.value.definition;
};
const connected = async (ingest: TestIngest, input: object = {}) => {
  const far = await FarEnd.start();
  const id = await ingest.create({ type: "websocket", url: far.url, ...input });
  await until("the connection", () => far.server.clients.size === 1);
  return { far, id };
};
const eventOf = (
  { accountId }: TestIngest,
  signalId: SignalId,
  kind: "signal.deleted" | "signal.updated",
  data: EventData,
) =>
  eventRecord({
    accountId,
    signalId,
    event: {
      event: kind,
      id: EventId.parse("evt_01JDA2V3Q8R5T7W9Y1B3D5F7H9"),
      type: kind,
      createdAt: "2026-01-01T00:00:00.000Z",
      apiVersion: "v1",
      sequence: 2,
      data,
    },
  });
const shown = (definition: SignalDefinition, externalId: string): Signal => {
  const {
    accountId: _account,
    revision: _revision,
    paused: _paused,
    createdAt,
    updatedAt,
    ...settings
  } = definition;
  const times = {
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(updatedAt).toISOString(),
  };
  const measured = { strength: null, quality: null, lastReadingAt: null, reasons: [], sequence: 1 };
  return { ...settings, ...measured, ...times, externalId, status: "active" };
};
const linesOf = (ingest: TestIngest, count: number) =>
  until(`${count} lines`, async () => {
    const lines = await ingest.lines();
    return lines.length >= count ? lines : null;
  });

describe("a sender's name", () => {
  it("is resolved for tens of thousands of new names at once, each reading written once and in order", async () => {
    const ingest = await TestIngest.start();
    const { far, id } = await connected(ingest);
    const names = Array.from({ length: 20_000 }, (_, n) => `sensor-${n}`);
    const before = process.cpuUsage();
    for (let from = 0; from < names.length; from += 1_000) {
      far.send(names.slice(from, from + 1_000).map((name) => ({ id: name, rssi: -70 })));
    }
    far.send(names.map((name) => ({ id: name, rssi: -71 })));
    await until("all readings", async () => (await ingest.status(id))?.counters.readings === 40_000);
    // Of work and not of time, which others on the machine take too.
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(15_000);
    const strengths = new Map<string, number[]>();
    for (const { signalId, strength } of await ingest.lines()) {
      strengths.set(signalId, [...(strengths.get(signalId) ?? []), strength]);
    }
    expect(strengths.size).toBe(20_000);
    expect(await ingest.undefinedSignals()).toEqual([]);
    for (const [signalId, found] of strengths) expect(found, signalId).toEqual([-70, -71]);
  });

  it("may be an id of ours, or an externalId made by the API; the definition goes ahead in any case", async () => {
    const ingest = await TestIngest.start();
    const byId = await createSignal(ingest, "one", null);
    const byName = await createSignal(ingest, "two", "ext");
    const { far } = await connected(ingest);
    far.send([
      { id: byId.id, rssi: -70 },
      { id: "ext", rssi: -71 },
    ]);
    const lines = await linesOf(ingest, 2);
    expect(new Map(lines.map(({ signalId, strength }) => [signalId, strength]))).toEqual(
      new Map<string, number>([
        [byId.id, -70],
        [byName.id, -71],
      ]),
    );
    expect((await ingest.changes()).filter(({ type }) => type === "signal")).toHaveLength(2);
    expect(await ingest.undefinedSignals()).toEqual([]);
    expect(await externalIds(ingest)).toEqual([null, "ext"]);
  });

  it("is rejected where the source wants no unknown ones, until there is such a signal", async () => {
    const ingest = await TestIngest.start();
    const { far, id } = await connected(ingest, { unknownSignals: "reject" });
    far.send({ id: "stranger", rssi: -70 });
    const [rejection] = await until("the rejection", async () => {
      const found = await ingest.rejections(id);
      return found.length > 0 ? found : null;
    });
    expect(rejection).toMatchObject({
      reason: "unknown_signal",
      detail: "no signal is called stranger",
      payload: '{"id":"stranger","rssi":-70}',
    });
    const made = await createSignal(ingest, "known now", "stranger");
    await until("a reading", async () => {
      far.send({ id: "stranger", rssi: -71 });
      return (await ingest.lines()).some(({ signalId }) => signalId === made.id);
    });
  });

  it("beyond the account's limit is rejected, and the others are taken", async () => {
    const ingest = await TestIngest.start({ maxSignals: 2 });
    const { far, id } = await connected(ingest);
    far.send(["a", "b", "c"].map((name) => ({ id: name, rssi: -70 })));
    await linesOf(ingest, 2);
    const [rejection] = await until("the rejection", async () => {
      const found = await ingest.rejections(id);
      return found.length > 0 ? found : null;
    });
    expect(rejection?.reason).toBe("signal_limit_reached");
  });

  it("gives the signal the source's defaults and the mapping's labels", async () => {
    const ingest = await TestIngest.start();
    const { far } = await connected(ingest, {
      defaults: { threshold: 0.4, labels: { site: "roof", kind: "default" } },
      mapping: { signal: "$.id", strength: "$.rssi", labels: { kind: "$.kind" } },
    });
    far.send([
      { id: "a", rssi: -70, kind: "lora" },
      { id: "b", rssi: -70 },
    ]);
    await linesOf(ingest, 2);
    const { items } = await ingest.control.signals.list(ingest.accountId, { limit: 10, sort: "name" });
    expect(items.map(({ definition }) => [definition.threshold, definition.labels])).toEqual([
      [0.4, { site: "roof", kind: "lora" }],
      [0.4, { site: "roof", kind: "default" }],
    ]);
  });

  it("of a deleted signal makes a new one, as soon as the deletion is in the events", async () => {
    const ingest = await TestIngest.start();
    const { far } = await connected(ingest);
    far.send({ id: "phoenix", rssi: -70 });
    const [line] = await linesOf(ingest, 1);
    const { items } = await ingest.control.signals.list(ingest.accountId, { limit: 1, sort: "name" });
    const old = items[0]?.definition;
    if (old === undefined) throw new Error("no signal was made");
    expect(line?.signalId).toBe(old.id);
    await ingest.control.signals.remove(ingest.accountId, old.id);
    await ingest.log.append("events", [eventOf(ingest, old.id, "signal.deleted", {})]);
    await until("a line of another signal", async () => {
      far.send({ id: "phoenix", rssi: -71 });
      return (await ingest.lines()).some(({ signalId }) => signalId !== old.id);
    });
    expect(await externalIds(ingest)).toEqual(["phoenix"]);
  });

  it("that the API has given to another signal feeds that one, as soon as the events say so", async () => {
    const ingest = await TestIngest.start();
    const { far } = await connected(ingest);
    const old = await createSignal(ingest, "one", "roof");
    far.send({ id: "roof", rssi: -70 });
    await linesOf(ingest, 1);
    await ingest.control.signals.update(ingest.accountId, old.id, { externalId: "cellar" });
    const next = await createSignal(ingest, "two", "roof");
    const data = { signal: shown(old, "cellar"), previous: { externalId: "roof" } };
    await ingest.log.append("events", [eventOf(ingest, old.id, "signal.updated", data)]);
    await until("a line of the other signal", async () => {
      far.send({ id: "roof", rssi: -71 });
      return (await ingest.lines()).some(({ signalId }) => signalId === next.id);
    });
  });

  it("waits while control data is away, known ones flow on, and nothing is lost or out of order", async () => {
    let away = false;
    const ingest = await TestIngest.start({
      wrapControl: (control) => ({
        ...control,
        signals: {
          ...control.signals,
          resolve: (request) =>
            away ? Promise.reject(new ControlUnavailableError("away")) : control.signals.resolve(request),
        },
      }),
    });
    const { far } = await connected(ingest);
    far.send({ id: "known", rssi: -1 });
    await linesOf(ingest, 1);
    away = true;
    for (let n = 1; n <= 50; n++) far.send({ id: "new", rssi: -n });
    far.send({ id: "known", rssi: -150 });
    await linesOf(ingest, 2);
    await until("a failed look-up", async () => (await ingest.metric("ingest_resolve_failures_total")) > 0);
    away = false;
    for (let n = 51; n <= 100; n++) far.send({ id: "new", rssi: -n });
    const lines = await linesOf(ingest, 102);
    const known = lines.find(({ strength }) => strength === -150)?.signalId;
    const strengths = lines.filter(({ signalId }) => signalId !== known).map(({ strength }) => strength);
    expect(strengths).toEqual(Array.from({ length: 100 }, (_, n) => -(n + 1)));
  });
});
