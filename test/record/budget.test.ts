import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { Budget } from "../../src/record/budget.ts";

describe("a budget", () => {
  it("keeps those waiting who come when it is spent, and leaves nothing behind when they are let on", async () => {
    const budget = new Budget(10, () => undefined);
    const { signal } = new AbortController();
    for (let wait = 0; wait < 20; wait++) {
      budget.take(10);
      let isLetOn = false;
      const waiting = budget.room(signal).then(() => {
        isLetOn = true;
      });
      await Promise.resolve();
      expect(isLetOn).toBe(false);
      budget.take(-10);
      await waiting;
    }
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("lets on whoever is told to stop", async () => {
    const budget = new Budget(10, () => undefined);
    budget.take(10);
    const stop = new AbortController();
    const waiting = budget.room(stop.signal);
    stop.abort();
    await waiting;
    expect(budget.isFull).toBe(true);
  });
});
