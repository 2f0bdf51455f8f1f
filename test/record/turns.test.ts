import { expect, test } from "vitest";
import { Turns } from "../../src/record/turns.ts";

const settings = { lingerMs: 1_000, apartMs: 250, againMs: 0, lingerMaxMs: 3_000 };

test("a partition alone inserts as soon as its oldest record has lingered, however early it did before", () => {
  const turns = new Turns(settings);
  expect([0, 10, 20, 5_000].map((oldestAt) => turns.take(0, oldestAt))).toEqual([1_000, 1_010, 1_020, 6_000]);
});

test("a partition inserts soon after a quiet while, and at its own pace while more keeps coming", () => {
  const turns = new Turns({ lingerMs: 200, apartMs: 0, againMs: 1_000, lingerMaxMs: 1_000 });
  expect([0, 210, 1_210, 5_000].map((oldestAt) => turns.take(0, oldestAt))).toEqual([
    200, 1_200, 2_200, 5_200,
  ]);
});

test("partitions that gather at once insert one after the other", () => {
  const turns = new Turns(settings);
  expect([0, 1, 2, 3].map((partition) => turns.take(partition, partition))).toEqual([
    1_000, 1_250, 1_500, 1_750,
  ]);
});

test("twelve partitions under load insert four times a second, each within the longest linger", () => {
  const turns = new Turns(settings);
  const oldest = new Map(Array.from({ length: 12 }, (_, partition) => [partition, 0]));
  const next = new Map([...oldest].map(([partition, at]) => [partition, turns.take(partition, at)]));
  const inserts: number[] = [];
  for (;;) {
    const [partition = 0, at = 0] = [...next].sort(([, a], [, b]) => a - b)[0] ?? [];
    if (at > 30_000) break;
    inserts.push(at);
    expect(at - (oldest.get(partition) ?? 0)).toBeLessThanOrEqual(3_000);
    // More has come meanwhile.
    oldest.set(partition, at);
    next.set(partition, turns.take(partition, at));
  }
  const perSecond = inserts.filter((at) => at > 10_000).length / 20;
  expect(perSecond).toBeGreaterThan(3.5);
  expect(perSecond).toBeLessThan(5);
});

test("a partition that has been let go of is not waited for", () => {
  const turns = new Turns(settings);
  turns.take(0, 0);
  turns.take(1, 0);
  turns.leave(1);
  expect(turns.take(2, 0)).toBe(1_250);
});

test("a linger that is longer than the longest is kept to", () => {
  const turns = new Turns({ lingerMs: 10_000, apartMs: 250, againMs: 0, lingerMaxMs: 3_000 });
  expect([turns.take(0, 0), turns.take(1, 0)]).toEqual([10_000, 10_000]);
});
