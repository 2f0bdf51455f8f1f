import { expect, test } from "vitest";
import { SILENCE, ThreadHealth } from "../../../src/compose/threads/thread-health.ts";
import { ManualClock } from "../../support/clock.ts";

const TOLD = { name: "record", state: "degraded", detail: "behind" } as const;

const watched = () => {
  const clock = new ManualClock();
  const health = new ThreadHealth("record", SILENCE);
  const hung: number[] = [];
  const stop = health.watch(clock, (silentMs) => hung.push(silentMs));
  health.tell([TOLD]);
  return { clock, health, hung, stop };
};

test("a worker is as its thread told, until that one is silent for 5 s", () => {
  const { clock, health } = watched();
  clock.advance(4_900);
  expect(health.now()).toEqual([TOLD]);
  clock.advance(100);
  const detail = "its thread has not answered for 5 s: after 30 s the process ends, to be started again";
  expect(health.now()).toEqual([{ name: "record", state: "down", detail }]);
  health.tell([TOLD]);
  expect(health.now()).toEqual([TOLD]);
});

test("a thread that is silent for 30 s is given up, once", () => {
  const { clock, hung } = watched();
  clock.advance(29_900);
  expect(hung).toEqual([]);
  clock.advance(60_000);
  expect(hung).toEqual([30_000]);
});

test("a thread that is heard of now and then is not given up, nor one that is not watched any more", () => {
  const { clock, health, hung, stop } = watched();
  for (let i = 0; i < 10; i++) {
    clock.advance(20_000);
    health.tell([TOLD]);
  }
  stop();
  clock.advance(60_000);
  expect(hung).toEqual([]);
});

test("a thread that still loads its program is not blamed for the time that takes", () => {
  const clock = new ManualClock();
  const hung: number[] = [];
  new ThreadHealth("record", SILENCE).watch(clock, (silentMs) => hung.push(silentMs));
  clock.advance(60_000);
  expect(hung).toEqual([]);
});

test("a machine that slept, or a process that was stopped, blames no thread for that time", () => {
  const { clock, health, hung } = watched();
  for (let i = 0; i < 9; i++) clock.leap(3_600_000);
  expect([health.now(), hung]).toEqual([[TOLD], []]);
});
