import { describe, expect, test } from "vitest";
import { FeedRhythm, LEARNED_MAX_MS, LEARNED_MIN_MS } from "../../../src/domain/evaluation/feed-rhythm.ts";
import { signalChange, signalId, TestPartition } from "../../support/partition.ts";

const of = (...gaps: readonly (readonly [ms: number, times: number])[]): FeedRhythm => {
  const rhythm = new FeedRhythm();
  for (const [ms, times] of gaps) for (let time = 0; time < times; time++) rhythm.add(ms);
  return rhythm;
};
/** Gaps are told apart by a fifth. */
const expectAbout = (ms: number, about: number): void => {
  expect(ms).toBeGreaterThanOrEqual(about);
  expect(ms).toBeLessThanOrEqual(about * 1.2);
};

describe("the rhythm of a feed", () => {
  test("is three times the gap that 99 of 100 do not reach", () => {
    expectAbout(of([60_000, 100]).learnedMs, 180_000);
    expectAbout(of([10_000, 990], [60_000, 10]).learnedMs, 30_000);
    expectAbout(of([10_000, 950], [60_000, 50]).learnedMs, 180_000);
  });

  test("is not known before twenty gaps, and bounded", () => {
    expect(of([60_000, 19]).learnedMs).toBe(300_000);
    expect(of([1_000, 100]).learnedMs).toBe(LEARNED_MIN_MS);
    const rare = of();
    for (let gap = 0; gap < 2_000; gap++) rare.add(80_000_000);
    expect(rare.learnedMs).toBe(LEARNED_MAX_MS);
  });

  test("does not count what comes in bursts", () => {
    const rhythm = of();
    for (let burst = 0; burst < 50; burst++) {
      rhythm.add(200_000);
      for (let reading = 0; reading < 500; reading++) rhythm.add(10);
    }
    expectAbout(rhythm.learnedMs, 600_000);
  });

  test("learns nothing of one outage, and a slower rhythm step by step", () => {
    const rhythm = of([10_000, 200]);
    rhythm.add(7_200_000);
    expectAbout(rhythm.learnedMs, 30_000);
    for (let gap = 0; gap < 100; gap++) rhythm.add(120_000);
    expectAbout(rhythm.learnedMs, 360_000);
  });

  test("forgets how it was", () => {
    const rhythm = of([60_000, 1_000], [5_000, 20_000]);
    expectAbout(rhythm.learnedMs, 15_000);
  });

  test("goes on from what was written of it", () => {
    const rhythm = of([10_000, 990], [60_000, 10]);
    const again = new FeedRhythm(rhythm.row());
    expect(again.learnedMs).toBe(rhythm.learnedMs);
    for (const gap of [60_000, 60_000, 5_000]) expect(again.add(gap)).toBe(rhythm.add(gap));
    expect(again.row()).toEqual(rhythm.row());
  });
});

describe("a signal that learns its no-data interval", () => {
  const every = (partition: TestPartition, seconds: number, times: number): void => {
    for (let time = 0; time < times; time++) {
      partition.ticks(seconds - 1).after(1_000);
      partition.read({ signal: 1, strength: -60 });
    }
  };

  test("fails after three gaps of its own, not after five minutes", () => {
    const partition = new TestPartition().change(signalChange(1, { noDataAfterSeconds: "auto" }));
    every(partition, 20, 60);
    partition.news();
    expect(partition.ticks(60).kinds()).toEqual([]);
    expect(partition.ticks(15).kinds()).toEqual(["signal.failed"]);
    every(partition, 1, 1);
    expect(partition.kinds()).toEqual(["signal.updated"]);
    const { verdict } = partition.probe(signalId(1), -60);
    expect(verdict.conditions.find(({ kind }) => kind === "noData")?.explanation).toContain("learned");
  });

  test("fails after five minutes before it has learned", () => {
    const partition = new TestPartition().change(signalChange(1, { noDataAfterSeconds: "auto" }));
    every(partition, 20, 5);
    partition.news();
    expect(partition.ticks(299).kinds()).toEqual([]);
    expect(partition.ticks(1).kinds()).toEqual(["signal.failed"]);
  });

  test("forgets its rhythm when a number is set, and learns anew", () => {
    const partition = new TestPartition().change(signalChange(1, { noDataAfterSeconds: "auto" }));
    every(partition, 20, 60);
    partition.change(signalChange(1, { noDataAfterSeconds: 1_000, revision: 2 }));
    partition.change(signalChange(1, { noDataAfterSeconds: "auto", revision: 3 }));
    partition.news();
    expect(partition.ticks(299).kinds()).toEqual([]);
  });
});
