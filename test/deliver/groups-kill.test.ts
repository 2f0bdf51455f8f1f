import { describe, expect, test } from "vitest";
import { ManualClock } from "../support/clock.ts";
import { controlEngines, forgetful, openPostgres } from "../support/control-engines.ts";
import { Delivering } from "../support/deliver.ts";
import { FaultyLog } from "../support/faulty-log.ts";
import { bodies, Grouping, kinds, WAIT_MS } from "../support/grouping.ts";
import { newSchema, postgresUrl } from "../support/postgres.ts";

const server = await postgresUrl();

describe.each(controlEngines(server))("groups on %s", (_, open) => {
  test("are told once, though the worker is another one at every step", async () => {
    const clock = new ManualClock();
    const grouping = await Grouping.open(await Delivering.open(clock, await open(clock)));
    const { own, receiver } = grouping;
    const restart = async (step: () => Promise<unknown>) => {
      const stop = await own.start();
      await step();
      await stop();
    };
    await restart(() => grouping.failed(1));
    await restart(() => grouping.failed(2, 3));
    clock.advance(WAIT_MS);
    await restart(() => grouping.arrived(1));
    await restart(() => grouping.recovered(1, 2, 3));
    clock.advance(WAIT_MS);
    await restart(() => grouping.arrived(2));
    await restart(() => grouping.failed(1));
    clock.advance(WAIT_MS);
    await restart(() => grouping.arrived(3));
    expect(kinds(receiver)).toEqual(["source.degraded", "source.recovered", "signal.failed"]);
    expect(bodies(receiver)[0]?.data.group?.counts).toMatchObject({ failing: 3, failed: 3 });
    expect(bodies(receiver)[1]?.data.group?.counts).toMatchObject({ failing: 0, recovered: 3 });
  });

  test("are told once, and let go of all they held, though the answers of transactions are lost", async () => {
    const clock = new ManualClock();
    const { control, lose } = forgetful(await open(clock));
    const grouping = await Grouping.open(await Delivering.open(clock, control));
    const { own, receiver, events, now } = grouping;
    await own.start();
    lose(1);
    await grouping.happen(events.failed(1, now), events.renamed(1, now));
    // The endpoint's lane goes on to what came after what is held.
    await grouping.happen(events.deleted(9, now));
    await grouping.arrived(1);
    lose(1);
    await grouping.failed(2);
    await grouping.arrived(2);
    lose(1);
    clock.advance(WAIT_MS);
    await grouping.arrived(3);
    lose(1);
    await grouping.recovered(1, 2);
    lose(1);
    clock.advance(WAIT_MS);
    await grouping.arrived(4);
    await grouping.failed(3);
    lose(1);
    clock.advance(WAIT_MS);
    await grouping.arrived(5);
    const after = ["signal.updated", "source.degraded", "source.recovered", "signal.failed"];
    expect(kinds(receiver)).toEqual(["signal.deleted", ...after]);
    expect(new Set(receiver.ids()).size).toBe(5);
  });

  test("take what happened while nobody listened before they are told", async () => {
    const clock = new ManualClock();
    const grouping = await Grouping.open(await Delivering.open(clock, await open(clock)));
    const { own, receiver, events } = grouping;
    const stop = await own.start();
    await grouping.failed(1, 2);
    await stop();
    await grouping.append(...[3, 4, 5].map((n) => events.failed(n, clock.now())));
    clock.advance(WAIT_MS);
    await own.start();
    await grouping.arrived(1);
    expect(bodies(receiver)[0]?.data.group?.counts).toMatchObject({ failing: 5, failed: 5 });
  });
});

test("groups of one worker are sent by another that holds the endpoint, single ones that were let go of included", async () => {
  const url = await newSchema(server);
  const clocks = [new ManualClock(), new ManualClock()] as const;
  const maker = await Delivering.open(clocks[0], await openPostgres(clocks[0], url));
  const sending = await Delivering.open(clocks[1], await openPostgres(clocks[1], url));
  const unfed = Object.assign(new FaultyLog(sending.log), {
    consume: async () => ({ stop: async () => undefined, trouble: () => null, lag: () => new Map() }),
  });
  await sending.start({ log: unfed });
  const grouping = await Grouping.open(maker);
  const arrived = (count: number) =>
    sending.passing("what is to arrive", () => {
      clocks[0].advance(10);
      return grouping.receiver.received.length >= count;
    });
  await maker.start({ sender: null });
  const { events, now } = grouping;
  await grouping.happen(events.failed(1, now));
  // Later in the topic, but sent before.
  await grouping.happen(events.deleted(2, now));
  await arrived(1);
  clocks[0].advance(WAIT_MS);
  await arrived(2);
  await grouping.failed(3, 4);
  clocks[0].advance(WAIT_MS);
  await arrived(3);
  expect(kinds(grouping.receiver)).toEqual(["signal.deleted", "signal.failed", "source.degraded"]);
});
