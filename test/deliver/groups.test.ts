import { describe, expect, test } from "vitest";
import type { WebhookId } from "../../schemas/common.ts";
import { SignalServiceEvent } from "../../schemas/event.ts";
import { SourceCreate } from "../../schemas/source.ts";
import type { DeliverOptions } from "../../src/deliver/deliver.ts";
import { type AddressedEvent, eventRecord } from "../../src/domain/records.ts";
import { Delivering } from "../support/deliver.ts";
import { SourceEvents } from "../support/group-events.ts";
import { signalId } from "../support/partition.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";

const WAIT_MS = 10_000;
const INTERVAL_MS = 300_000;
const EVENTS = ["signal.failed", "signal.updated", "signal.deleted"];

const bodies = ({ received }: Receiver) =>
  received.map(({ body }) => SignalServiceEvent.parse(JSON.parse(body)));
const kinds = (receiver: Receiver) => bodies(receiver).map(({ event }) => event);

const setUp = async (options: Partial<DeliverOptions> = {}, fields: object = {}) => {
  const own = await Delivering.open();
  const receiver = await startReceiver();
  const { id } = await own.subscribe(receiver.url, { events: EVENTS, groups: {}, ...fields });
  const source = await own.control.sources.create(
    own.account,
    SourceCreate.parse({ type: "push", name: "gateway north" }),
  );
  if (!source.ok) throw new Error(source.reason);
  await own.start(options);
  const events = new SourceEvents(own.account, source.value.id);
  let count = 0;
  /** Appends events, and waits until they have been taken. */
  const happen = async (...some: AddressedEvent[]) => {
    await own.log.append("events", some.map(eventRecord));
    count += some.length;
    await own.passing(
      "the events to be taken",
      async () => (await own.log.committed("deliver", "events")).get(0) === count,
    );
  };
  const now = () => own.clock.now();
  const arrived = (number: number) =>
    own.passing("what is to arrive", () => receiver.received.length >= number);
  const statuses = async (webhookId: WebhookId = id) =>
    (await own.deliveries(webhookId)).map(({ event, status }) => `${event} ${status}`);
  return { own, receiver, id, sourceId: source.value.id, events, happen, now, arrived, statuses };
};

describe("groups", () => {
  test("tell signals of one source that fail together once, and keep the single ones to themselves", async () => {
    const { own, receiver, sourceId, events, happen, now, arrived, statuses } = await setUp();
    await happen(events.failed(1, now()), events.failed(2, now()));
    await happen(events.failed(3, now()));
    expect(receiver.received).toEqual([]);
    own.clock.advance(WAIT_MS);
    await arrived(1);
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
    await own.passing("it to be kept", async () => (await statuses()).at(-1) === "source.degraded delivered");
    expect(await statuses()).toEqual([...single, "source.degraded delivered"]);
  });

  test("send a failure that stays alone as it is, after the wait, with what its signal did meanwhile", async () => {
    const { own, receiver, events, happen, now, arrived } = await setUp();
    const all = [events.failed(1, now()), events.renamed(1, now()), events.recovered(1, now())];
    await happen(...all);
    expect(receiver.received).toEqual([]);
    own.clock.advance(WAIT_MS);
    await arrived(3);
    expect(receiver.ids()).toEqual(all.map(({ event }) => event.id));
    await happen(events.failed(1, now()));
    own.clock.advance(WAIT_MS);
    await arrived(4);
    expect(kinds(receiver).at(-1)).toBe("signal.failed");
  });

  test("tell what joins and what recovers once an interval, and in the end that all is well", async () => {
    const { own, receiver, events, happen, now, arrived } = await setUp();
    await happen(events.failed(1, now()), events.failed(2, now()));
    own.clock.advance(WAIT_MS);
    await arrived(1);
    await happen(events.failed(3, now()), events.recovered(1, now()));
    own.clock.advance(INTERVAL_MS / 2);
    await happen(events.failed(4, now()));
    expect(receiver.received).toHaveLength(1);
    own.clock.advance(INTERVAL_MS / 2);
    await arrived(2);
    await happen(events.recovered(2, now()), events.recovered(3, now()), events.recovered(4, now()));
    own.clock.advance(WAIT_MS);
    await arrived(3);
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
    await happen(events.failed(1, now()));
    own.clock.advance(WAIT_MS);
    await arrived(4);
    expect(kinds(receiver).at(-1)).toBe("signal.failed");
  });

  test("are of webhooks that ask for them, of signals that have a source, and of one source each", async () => {
    const { own, receiver, events, happen, now, arrived } = await setUp();
    const plain = await startReceiver();
    await own.subscribe(plain.url, { events: EVENTS });
    const byHand = new SourceEvents(own.account, null);
    const other = await own.control.sources.create(
      own.account,
      SourceCreate.parse({ type: "push", name: "gateway south" }),
    );
    if (!other.ok) throw new Error(other.reason);
    const others = new SourceEvents(own.account, other.value.id);
    const all = [
      events.failed(1, now()),
      byHand.failed(2, now()),
      byHand.failed(3, now()),
      others.failed(4, now()),
    ];
    await happen(...all);
    await arrived(2);
    await own.passing("the plain one", () => plain.received.length === 4);
    expect(bodies(receiver).map(({ data }) => data.signal?.id)).toEqual([signalId(2), signalId(3)]);
    own.clock.advance(WAIT_MS);
    await arrived(4);
    expect(kinds(receiver)).toEqual(Array.from({ length: 4 }, () => "signal.failed"));
    expect(kinds(plain)).toEqual(kinds(receiver));
  });
});
