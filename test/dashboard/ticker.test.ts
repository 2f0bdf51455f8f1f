import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Ticker } from "../../src/dashboard/live/ticker.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());

test("one beat is for all who follow it, and ends with the last of them", () => {
  const ticker = new Ticker(1_000);
  const beats = { first: 0, second: 0 };
  expect(vi.getTimerCount()).toBe(0);
  const endFirst = ticker.follow(() => beats.first++);
  vi.advanceTimersByTime(1_500);
  const endSecond = ticker.follow(() => beats.second++);
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(2_000);
  expect(beats).toEqual({ first: 3, second: 2 });
  endFirst();
  vi.advanceTimersByTime(1_000);
  expect(beats).toEqual({ first: 3, second: 3 });
  endSecond();
  endSecond();
  expect(vi.getTimerCount()).toBe(0);
});

test("it begins anew with who follows it next", () => {
  const ticker = new Ticker(1_000);
  ticker.follow(() => undefined)();
  let beats = 0;
  const end = ticker.follow(() => beats++);
  vi.advanceTimersByTime(3_000);
  expect(beats).toBe(3);
  end();
});
