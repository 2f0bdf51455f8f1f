import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { systemClock, systemEntropy } from "../../src/adapters/system/clock.ts";
import type { AddressedEvent } from "../../src/domain/records.ts";
import type { Clock } from "../../src/ports/clock.ts";
import { type EventFeed, startEventFeed } from "../../src/serve/event-feed.ts";
import { ManualClock } from "../support/clock.ts";
import { eventSteps } from "../support/events.ts";
import { accountId, eventId, signalId } from "../support/rows.ts";
import { openTestEngines, type TestEngines } from "../support/serve.ts";
import { testTelemetry } from "../support/telemetry.ts";
import { until } from "../support/until.ts";

let engines: TestEngines;
let steps: ReturnType<typeof eventSteps>;
let appended: string[] = [];
beforeAll(async () => {
  engines = await openTestEngines();
  steps = eventSteps(engines);
});
afterAll(() => engines.close());
beforeEach(() => {
  appended = [];
});

const startFeed = async (ringEvents = 1_000, clock: Clock = systemClock): Promise<EventFeed> => {
  const limits = { ringEvents, ringBytes: 1e8 };
  const telemetry = testTelemetry();
  const feed = await startEventFeed({
    ...engines,
    clock,
    entropy: systemEntropy,
    telemetry,
    limits,
  });
  onTestFinished(() => feed.stop());
  return feed;
};
const append = async (...events: AddressedEvent[]) => {
  const offsets = await steps.append(events);
  appended.push(...events.map(({ event }) => event.id));
  return offsets;
};
const filter = () => ({ accountId: engines.accountId });

const readAll = async (feed: EventFeed, after: number, page = 3): Promise<string[]> => {
  const ids: string[] = [];
  for (let from = after; from < feed.end - 1; ) {
    const { entries, through } = await feed.read(from, page, filter());
    ids.push(...entries.map(({ id }) => id));
    from = through;
  }
  return ids;
};
const endOf = async () => (await engines.log.bounds("events"))[0]?.end ?? 0;
const caughtUp = async (feed: EventFeed) => {
  const end = await endOf();
  await until("the feed to reach the log's end", () => feed.end >= end);
};

describe("the feed of events", () => {
  test("gives stored, kept and new events as one list, page by page", async () => {
    const before = (await endOf()) - 1;
    await append(steps.next(1), steps.next(2), steps.next(1), steps.next(2));
    await steps.record();
    await append(steps.next(1), steps.next(3));
    const feed = await startFeed();
    await caughtUp(feed);
    await append(steps.next(3));
    await caughtUp(feed);
    expect(await readAll(feed, before)).toEqual(appended);
    expect(await readAll(feed, before, 1)).toEqual(appended);
  });

  test("shows an event that was appended again once, at its first place", async () => {
    const before = (await endOf()) - 1;
    const [stored, kept, fresh] = [steps.next(4), steps.next(4), steps.next(4)] as const;
    await append(stored);
    await steps.record();
    const feed = await startFeed();
    const [position] = await append(kept);
    await steps.append([stored, kept]);
    await append(fresh);
    await caughtUp(feed);
    expect(await readAll(feed, before)).toEqual(appended);
    expect(await feed.positionOf(engines.accountId, kept.event.id)).toBe(position);

    await steps.record();
    const restarted = await startFeed();
    expect(await readAll(restarted, before)).toEqual(appended);
    expect(await restarted.positionOf(engines.accountId, kept.event.id)).toBe(position);
  });

  test("lets go of nothing that is not stored, and loses nothing when it does", async () => {
    const before = (await endOf()) - 1;
    const feed = await startFeed(5);
    for (let i = 0; i < 20; i++) await append(steps.next(5));
    await until("the feed to wait for storage", () =>
      feed.health().some(({ state }) => state === "degraded"),
    );
    expect(feed.readNow(before, 100, () => true)?.entries.length).toBeGreaterThan(5);
    await steps.record();
    await until("the feed to go on", () => feed.health().every(({ state }) => state === "ok"));
    await append(steps.next(5));
    await caughtUp(feed);
    expect(feed.readNow(before, 100, () => true)).toBeNull();
    expect(await readAll(feed, before)).toEqual(appended);
  });

  test("has no gap where the log was trimmed while it waited for storage", async () => {
    const before = (await endOf()) - 1;
    const clock = new ManualClock();
    const feed = await startFeed(5, clock);
    const repeated = steps.next(12);
    await append(...Array.from({ length: 10 }, () => steps.next(5)));
    await until("the feed to wait for storage", () => clock.pending > 0);
    await append(repeated, steps.next(5));
    await steps.record();
    await engines.log.trim("events", 0, await endOf());
    await steps.append([repeated]);
    await append(steps.next(5), steps.next(12));
    clock.advance(1_000);
    await caughtUp(feed);
    expect(await readAll(feed, before)).toEqual(appended);
  });

  test("tells listeners of each new event once", async () => {
    const feed = await startFeed();
    await caughtUp(feed);
    const heard: string[] = [];
    const end = feed.listen((events) => heard.push(...events.map(({ event }) => event.id)));
    const repeated = steps.next(6);
    await append(repeated, steps.next(6));
    await steps.append([repeated]);
    await caughtUp(feed);
    expect(heard).toEqual(appended);
    end();
    await append(steps.next(6));
    await caughtUp(feed);
    expect(heard).toHaveLength(2);
  });

  test("filters stored and kept events alike, by account, signal, kind and time", async () => {
    const before = (await endOf()) - 1;
    await append(steps.next(7, "signal.failed"), steps.next(7), steps.next(8, "signal.failed"));
    await steps.record();
    const [, last] = [await append(steps.next(7, "signal.failed"), steps.next(8)), appended.at(-2)];
    const feed = await startFeed();
    await caughtUp(feed);
    const ids = async (more: object) =>
      (await feed.read(before, 100, { ...filter(), ...more })).entries.map(({ id }) => id);
    expect(await ids({ signalIds: [signalId(7)], kinds: ["signal.failed"] })).toEqual([appended[0], last]);
    expect(await ids({ accountId: accountId(9) })).toEqual([]);
    const third = (await feed.read(before, 3, filter())).entries[2];
    expect(await ids({ fromMs: third?.createdAtMs })).toEqual(appended.slice(2));
    expect(await ids({ toMs: third?.createdAtMs })).toEqual(appended.slice(0, 2));
  });

  test("knows where an event stands, and that another account's is none", async () => {
    const [offset] = await append(steps.next(10));
    const feed = await startFeed();
    await caughtUp(feed);
    const id = eventId(Number(appended[0]?.slice(-8)));
    expect(await feed.positionOf(engines.accountId, id)).toBe(offset);
    expect(await feed.positionOf(accountId(9), id)).toBeNull();
    expect(await feed.positionOf(engines.accountId, eventId(99_999_999))).toBeNull();
    await steps.record();
    expect(await (await startFeed()).positionOf(engines.accountId, id)).toBe(offset);
  });

  test("a record that is no event holds nothing up", async () => {
    const feed = await startFeed();
    await engines.log.append("events", [{ value: new TextEncoder().encode("nonsense") }]);
    await append(steps.next(11));
    await caughtUp(feed);
    expect(feed.readNow(feed.end - 3, 5, () => true)?.entries.map(({ id }) => id)).toContain(appended[0]);
  });
});
