import { describe, expect, test } from "vitest";
import { SourceCreate } from "../../schemas/source.ts";
import { Delivering } from "../support/deliver.ts";
import { doubtful } from "../support/faulty-log.ts";
import { SourceEvents } from "../support/group-events.ts";
import { bodies, GROUPED_EVENTS, Grouping, INTERVAL_MS, kinds, WAIT_MS } from "../support/grouping.ts";
import { signalId } from "../support/partition.ts";
import { startReceiver } from "../support/receiver.ts";

const setUp = async (fields: object = {}) => {
  const grouping = await Grouping.open(await Delivering.open(), fields);
  await grouping.own.start();
  return grouping;
};

describe("groups", () => {
  test("tell signals of one source that fail together once, and keep the single ones to themselves", async () => {
    const grouping = await setUp();
    const { own, receiver, sourceId } = grouping;
    await grouping.failed(1, 2);
    await grouping.failed(3);
    expect(receiver.received).toEqual([]);
    own.clock.advance(WAIT_MS);
    await grouping.arrived(1);
    const [event] = bodies(receiver);
    expect(event).toMatchObject({
      event: "source.degraded",
      sequence: null,
      data: {
        source: { id: sourceId, name: "gateway north", reason: "3 signals are failed" },
        group: { number: 1, counts: { failing: 3, failed: 3, recovered: 0, unlisted: 0 } },
      },
    });
    expect(event?.data.group?.signals).toMatchObject(
      [1, 2, 3].map((n) => ({ id: signalId(n), name: `signal ${n}`, status: "failed", isNew: true })),
    );
    const single = ["signal.failed grouped", "signal.failed grouped", "signal.failed grouped"];
    await own.passing(
      "it to be kept",
      async () => (await grouping.statuses()).at(-1) === "source.degraded delivered",
    );
    expect(await grouping.statuses()).toEqual([...single, "source.degraded delivered"]);
  });

  test("send a failure that stays alone as it is, after the wait, with what its signal did meanwhile", async () => {
    const grouping = await setUp();
    const { own, receiver, events, now } = grouping;
    const all = [events.failed(1, now), events.renamed(1, now), events.recovered(1, now)];
    await grouping.happen(...all);
    expect(receiver.received).toEqual([]);
    own.clock.advance(WAIT_MS);
    await grouping.arrived(3);
    expect(receiver.ids()).toEqual(all.map(({ event }) => event.id));
    await grouping.failed(1);
    own.clock.advance(WAIT_MS);
    await grouping.arrived(4);
    expect(kinds(receiver).at(-1)).toBe("signal.failed");
  });

  test("let go of what they held beside failures, as soon as enough have failed", async () => {
    const grouping = await setUp();
    const { receiver, events, now } = grouping;
    await grouping.happen(events.failed(1, now), events.renamed(1, now));
    await grouping.failed(2);
    await grouping.arrived(1);
    expect(bodies(receiver)).toMatchObject([
      { event: "signal.updated", data: { previous: { name: "old" } } },
    ]);
    expect(await grouping.statuses()).toContain("signal.failed grouped");
  });

  test("tell what joins and what recovers once an interval, and in the end that all is well", async () => {
    const grouping = await setUp();
    const { own, receiver } = grouping;
    await grouping.failed(1, 2);
    own.clock.advance(WAIT_MS);
    await grouping.arrived(1);
    await grouping.failed(3);
    await grouping.recovered(1);
    own.clock.advance(INTERVAL_MS / 2);
    await grouping.failed(4);
    expect(receiver.received).toHaveLength(1);
    own.clock.advance(INTERVAL_MS / 2);
    await grouping.arrived(2);
    await grouping.recovered(2, 3, 4);
    own.clock.advance(WAIT_MS);
    await grouping.arrived(3);
    expect(kinds(receiver)).toEqual(["source.degraded", "source.degraded", "source.recovered"]);
    const groups = bodies(receiver).map(({ data }) => data.group);
    expect(new Set(groups.map((group) => group?.id)).size).toBe(1);
    expect(groups.map((group) => [group?.number, group?.counts])).toEqual([
      [1, { failing: 2, failed: 2, recovered: 0, unlisted: 0 }],
      [2, { failing: 3, failed: 2, recovered: 1, unlisted: 0 }],
      [3, { failing: 0, failed: 0, recovered: 3, unlisted: 0 }],
    ]);
    expect(groups[1]?.signals.map(({ id, status, isNew }) => [id, status, isNew])).toEqual([
      [signalId(3), "failed", true],
      [signalId(4), "failed", true],
      [signalId(1), "recovered", true],
      [signalId(2), "failed", false],
    ]);
    // The next failure begins anew.
    await grouping.failed(1);
    own.clock.advance(WAIT_MS);
    await grouping.arrived(4);
    expect(kinds(receiver).at(-1)).toBe("signal.failed");
  });

  test("go by alerts as well, for who gets those, and name the highest severity", async () => {
    const grouping = await setUp({ events: ["alert.firing", "alert.resolved"] });
    const { own, receiver, events, now } = grouping;
    await grouping.happen(
      events.firing(1, now, "info"),
      events.failed(1, now),
      events.firing(2, now, "critical"),
    );
    own.clock.advance(WAIT_MS);
    await grouping.arrived(1);
    const [degraded] = bodies(receiver);
    expect(degraded?.data.group?.signals.map(({ severity }) => severity)).toEqual(["info", "critical"]);
    await grouping.happen(events.resolved(1, now), events.resolved(2, now));
    own.clock.advance(WAIT_MS);
    await grouping.arrived(2);
    expect(kinds(receiver)).toEqual(["source.degraded", "source.recovered"]);
  });

  test("list a hundred signals, and count all", async () => {
    const grouping = await setUp();
    await grouping.failed(...Array.from({ length: 250 }, (_, n) => n));
    grouping.own.clock.advance(WAIT_MS);
    await grouping.arrived(1);
    const group = bodies(grouping.receiver)[0]?.data.group;
    expect(group?.signals).toHaveLength(100);
    expect(group?.counts).toEqual({ failing: 250, failed: 250, recovered: 0, unlisted: 150 });
    expect(grouping.receiver.received[0]?.body.length).toBeLessThan(64_000);
  });

  test("tell what is new once more when the webhook wants no groups, and singles from then on", async () => {
    const grouping = await setUp();
    const { own, receiver, id } = grouping;
    await grouping.failed(1, 2);
    own.clock.advance(WAIT_MS);
    await grouping.arrived(1);
    await grouping.failed(3);
    await own.control.webhooks.update(own.account, id, { groups: null });
    await grouping.arrived(2);
    expect(bodies(receiver)[1]).toMatchObject({
      event: "source.degraded",
      data: { group: { number: 2, counts: { failing: 3, failed: 1 } } },
    });
    await grouping.recovered(1, 2);
    await grouping.arrived(4);
    expect(kinds(receiver).slice(2)).toEqual(["signal.updated", "signal.updated"]);
  });

  test("let go of a single failure at once when the webhook wants no groups", async () => {
    const grouping = await setUp();
    await grouping.failed(1);
    const { own, id, receiver } = grouping;
    await own.control.webhooks.update(own.account, id, { groups: null });
    await grouping.arrived(1);
    expect(kinds(receiver)).toEqual(["signal.failed"]);
    expect(own.clock.now()).toBeLessThan(Date.parse(bodies(receiver)[0]?.createdAt ?? "") + WAIT_MS);
  });

  test("are of webhooks that ask for them, of signals that have a source, and of one source each", async () => {
    const grouping = await setUp();
    const { own, receiver, events, now } = grouping;
    const plain = await startReceiver();
    await own.subscribe(plain.url, { events: GROUPED_EVENTS });
    const byHand = new SourceEvents(own.account, null);
    const south = SourceCreate.parse({ type: "push", name: "gateway south" });
    const other = await own.control.sources.create(own.account, south);
    if (!other.ok) throw new Error(other.reason);
    const others = new SourceEvents(own.account, other.value.id);
    const all = [events, byHand, byHand, others].map((some, n) => some.failed(n, now));
    await grouping.happen(...all);
    await grouping.arrived(2);
    await own.passing("the plain one", () => plain.received.length === 4);
    expect(bodies(receiver).map(({ data }) => data.signal?.id)).toEqual([signalId(1), signalId(2)]);
    own.clock.advance(WAIT_MS);
    await grouping.arrived(4);
    expect(kinds(receiver)).toEqual(Array.from({ length: 4 }, () => "signal.failed"));
    expect(kinds(plain)).toEqual(kinds(receiver));
  });

  test("are told by who holds the events without doubt, and by nobody else", async () => {
    const grouping = await Grouping.open(await Delivering.open());
    const { own, receiver } = grouping;
    let isHeld = true;
    await own.start({ log: doubtful(own.log, () => isHeld) });
    await grouping.failed(1, 2);
    isHeld = false;
    own.clock.advance(WAIT_MS);
    const plain = await startReceiver();
    await own.subscribe(plain.url, { events: GROUPED_EVENTS });
    await grouping.happen(new SourceEvents(own.account, null).failed(9, own.clock.now()));
    await own.passing("another one", () => plain.received.length === 1 && receiver.received.length === 1);
    expect(kinds(receiver)).toEqual(["signal.failed"]);
    isHeld = true;
    await grouping.arrived(2);
    expect(kinds(receiver)[1]).toBe("source.degraded");
  });
});
