import { describe, expect, it } from "vitest";
import type { Assignment, EventLog, GroupMember } from "../../../src/ports/event-log.ts";
import { ManualClock } from "../../support/clock.ts";
import { testTelemetry } from "../../support/telemetry.ts";
import { until } from "../../support/until.ts";
import type { OpenLog } from "../event-log.ts";
import { collect, numbered, texts } from "./reading.ts";

const OPTIONS = { group: "g", topic: "readings" } as const;
/** Almost the whole of each back-off, so that waits can be told apart: 99 ms, 199 ms, 399 ms, … */
const patient = { random: () => 0.999, bytes: (count: number) => new Uint8Array(count) };

/** Moves the clock in small steps until the probe says yes. */
const advanceUntil = (clock: ManualClock, what: string, probe: () => boolean) =>
  until(what, () => {
    clock.advance(10);
    return probe();
  });

/** A member whose every call on partition 0 is noted, and fails as `fails` says by the number of the assignment. */
const noted = async (
  log: EventLog,
  fails: { readonly assigned?: (nth: number) => boolean; readonly records?: (nth: number) => boolean },
) => {
  const calls: string[] = [];
  const assignments: Assignment[] = [];
  const member: GroupMember = await log.consume({
    ...OPTIONS,
    assigned: async (assignment) => {
      const nth = assignments.push(assignment);
      calls.push(`assigned ${nth}`);
      if (fails.assigned?.(nth)) throw new Error(`cannot take ${nth}`);
      return {
        startAt: assignment.committed ?? 0,
        records: async (batch) => {
          calls.push(`records ${nth}: ${texts(batch)}`);
          if (fails.records?.(nth)) throw new Error(`cannot do ${nth}`);
        },
        revoked: async () => {
          calls.push(`revoked ${nth}, aborted ${assignment.signal.aborted}`);
        },
      };
    },
  });
  return { calls, assignments, member };
};

export const failureBehaviour = (open: OpenLog): void => {
  describe("a consumer that fails", () => {
    it("gets its records again, while other partitions go on undisturbed", async () => {
      const { log } = await open({ partitions: { readings: 2 } });
      await log.append("readings", [...numbered("good", 1, 0), ...numbered("bad", 1, 1)]);
      let failures = 0;
      const seen = await collect(log, OPTIONS, async (_, { partition }) => {
        if (partition === 1 && failures++ === 0) throw new Error("not this time");
      });
      const of = (n: number) => texts(seen.records.filter(({ partition }) => partition === n));
      await until("the record again", () => of(1).length === 2);
      await log.append("readings", [...numbered("later", 1, 0), ...numbered("later", 1, 1)]);
      await until("what came later", () => of(0).length === 2 && of(1).length === 3);
      expect([of(0), of(1)]).toEqual([
        ["good0", "later0"],
        ["bad0", "bad0", "later0"],
      ]);
      expect(seen.revoked).toEqual([1]);
      expect(seen.assignments.get(0)?.signal.aborted).toBe(false);
      expect(seen.member.trouble()).toBeNull();
      await seen.member.stop();
      expect(seen.revoked.toSorted()).toEqual([0, 1, 1]);
    });

    it("is assigned anew from what is committed by then, and its lag counts from there meanwhile", async () => {
      const clock = new ManualClock();
      const { log } = await open({ surroundings: { clock } });
      await log.append("readings", numbered("a", 4));
      const { calls, assignments, member } = await noted(log, {});
      await until("the records", () => calls.length === 2);
      await assignments[0]?.commit(3);
      assignments[0]?.fail(new Error("in the background"));
      await until("the trouble", () => member.trouble() !== null);
      expect(member.lag()).toEqual(new Map([[0, 1]]));
      await advanceUntil(clock, "the rest", () => calls.length === 5);
      expect(calls).toEqual([
        "assigned 1",
        "records 1: a0,a1,a2,a3",
        "revoked 1, aborted true",
        "assigned 2",
        "records 2: a3",
      ]);
      expect(assignments[1]).toMatchObject({ committed: 3, earliest: 0, end: 4 });
      await member.stop();
    });

    it("is revoked once per assignment, after its signal and before the next; nobody who never came is", async () => {
      const { log } = await open();
      await log.append("readings", numbered("a", 1));
      const { calls, member } = await noted(log, { assigned: (n) => n === 1, records: (n) => n === 2 });
      await until("the third try", () => calls.includes("records 3: a0"));
      await member.stop();
      expect(calls).toEqual([
        "assigned 1",
        "assigned 2",
        "records 2: a0",
        "revoked 2, aborted true",
        "assigned 3",
        "records 3: a0",
        "revoked 3, aborted true",
      ]);
    });

    it("is tried with growing waits, and told: in words, by a metric", async () => {
      const clock = new ManualClock();
      const telemetry = testTelemetry();
      const { log } = await open({ surroundings: { clock, telemetry, entropy: patient } });
      await log.append("readings", numbered("a", 1));
      const failedAt: number[] = [];
      const seen = await collect(log, OPTIONS, async () => {
        failedAt.push(clock.now());
        throw new Error("never");
      });
      expect(seen.member.trouble()).toBeNull();
      await advanceUntil(clock, "five failures", () => failedAt.length === 5);
      await until("the fifth back-off", () => seen.revoked.length === 5);
      const waits = failedAt.slice(1).map((at, i) => at - (failedAt[i] ?? 0));
      for (const [i, atLeast] of [99, 199, 399, 799].entries())
        expect(waits[i]).toBeGreaterThanOrEqual(atLeast);
      expect(seen.member.trouble()).toBe("partition 0 of readings failed and is tried again: never");
      expect((await telemetry.metrics.expose()).text).toContain(
        'log_consumer_failed_total{group="g",topic="readings"} 5',
      );
      await seen.member.stop();
    });

    it("is tried again soon when it went well for 30 s", async () => {
      const clock = new ManualClock();
      const { log } = await open({ surroundings: { clock, entropy: patient } });
      await log.append("readings", numbered("a", 1));
      const { calls, assignments, member } = await noted(log, { records: (nth) => nth < 5 });
      await advanceUntil(clock, "the fifth try", () => calls.includes("records 5: a0"));
      await until("its success", () => member.trouble() === null);
      clock.advance(30_000);
      const failedAt = clock.now();
      assignments[4]?.fail(new Error("once more"));
      await advanceUntil(clock, "the sixth try", () => assignments.length === 6);
      // Five failures in a row would have it wait for 1.6 s.
      expect(clock.now() - failedAt).toBeLessThan(1_000);
      await member.stop();
    });

    it("does not hold up `stop` by its back-off", async () => {
      const { log } = await open({ surroundings: { clock: new ManualClock(), entropy: patient } });
      await log.append("readings", numbered("a", 1));
      const { calls, member } = await noted(log, { records: () => true });
      await until("the back-off", () => member.trouble() !== null && calls.length === 3);
      await member.stop();
      expect(calls).toEqual(["assigned 1", "records 1: a0", "revoked 1, aborted true"]);
    });

    it("is told that a partition is not its own any more that it could not take", async () => {
      const { log } = await open();
      const { assignments, member } = await noted(log, { assigned: (nth) => nth === 1 });
      await until("the second try", () => assignments.length === 2);
      expect(assignments.map(({ signal }) => signal.aborted)).toEqual([true, false]);
      await member.stop();
    });

    it.each([
      ["the very reason", 0, (reason: Error) => reason],
      ["another failure in the words of the reason", 1, (reason: Error) => new Error(reason.message)],
    ])("is counted when it is let go of: with %s, %i times", async (_, times, failure) => {
      const telemetry = testTelemetry();
      const { log } = await open({ surroundings: { telemetry } });
      await log.append("readings", numbered("a", 1));
      const release = Promise.withResolvers<void>();
      const seen = await collect(log, OPTIONS, async (_batch, { signal }) => {
        await release.promise;
        throw failure(signal.reason);
      });
      await until("the record", () => seen.records.length === 1);
      const stopped = seen.member.stop();
      release.resolve();
      await stopped;
      expect(await telemetry.metrics.total("log_consumer_failed_total")).toBe(times);
    });

    it("can say nothing more of a partition that it was let go of", async () => {
      const { log } = await open();
      const { calls, assignments, member } = await noted(log, {});
      await until("the assignment", () => assignments.length === 1);
      assignments[0]?.fail(new Error("gone wrong"));
      await until("the next assignment", () => assignments.length === 2 && member.trouble() === null);
      assignments[0]?.fail(new Error("still wrong"));
      expect(member.trouble()).toBeNull();
      expect(assignments[1]?.signal.aborted).toBe(false);
      await member.stop();
      expect(calls.filter((call) => call.startsWith("revoked"))).toHaveLength(2);
    });
  });
};
