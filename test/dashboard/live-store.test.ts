import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { LiveStore } from "../../src/dashboard/live/live-store.ts";
import type { ConnectionState } from "../../src/dashboard/live/messages.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

const storeOf = (frame = (run: () => void) => run()) => {
  const store = new LiveStore(frame);
  const told = (state: ConnectionState, silentMs = 0) => store.take({ kind: "connection", state, silentMs });
  const reading = (strength: number, at: number) =>
    store.take({
      kind: "readings",
      place: Uint32Array.of(0),
      strength: Float32Array.of(strength),
      quality: Float32Array.of(1),
      status: Uint8Array.of(0),
      at: Float64Array.of(at),
    });
  store.take({ kind: "signals", from: 0, ids: ["sig_a"] });
  told("open");
  return { store, told, reading };
};

describe("what is shown is as old as", () => {
  test("nothing, while all that comes is shown", () => {
    expect(storeOf().store.staleSinceMs).toBeNull();
  });

  test("the last that was heard of a lost connection, not when that was noticed", () => {
    const { store, told } = storeOf();
    vi.advanceTimersByTime(60_000);
    const heardMs = performance.now() - 26_000;
    told("lost", 26_000);
    vi.advanceTimersByTime(5_000);
    told("lost", 1_000);
    expect(store.staleSinceMs).toBe(heardMs);
    told("open");
    expect(store.staleSinceMs).toBeNull();
  });

  test("the pause, or what was lost before it", () => {
    const { store, told } = storeOf();
    vi.advanceTimersByTime(100_000);
    const pausedMs = performance.now();
    store.pause(true);
    vi.advanceTimersByTime(10_000);
    expect(store.staleSinceMs).toBe(pausedMs);
    // The line had been silent for five seconds when somebody paused.
    told("lost", 15_000);
    told("open");
    expect(store.staleSinceMs).toBe(pausedMs - 5_000);
    store.pause(false);
    expect(store.staleSinceMs).toBeNull();
  });
});

describe("a pause", () => {
  test("freezes what is shown, and keeps what comes", () => {
    const { store, reading } = storeOf();
    reading(-60, 1_000);
    store.pause(true);
    reading(-70, 2_000);
    expect([store.view.strength[0], store.view.at[0]]).toEqual([-60, 1_000]);
    store.pause(false);
    expect([store.view.strength[0], store.view.at[0]]).toEqual([-70, 2_000]);
  });

  test("has shown what it freezes by the time that it says so, whenever the next frame comes", () => {
    const { store, reading } = storeOf(() => undefined);
    const shown: number[] = [];
    store.follow(({ strength }) => shown.push(strength[0] ?? 0));
    store.onState(() => shown.push(Number(store.isPaused)));
    reading(-60, 1_000);
    store.pause(true);
    reading(-70, 2_000);
    store.pause(false);
    expect(shown).toEqual([0, -60, 1, -70, 0]);
  });

  test("is a break in what was seen, as a lost connection is", () => {
    const { store, told } = storeOf();
    const { breaks } = store;
    store.pause(true);
    expect(store.breaks).toBe(breaks);
    store.pause(false);
    expect(store.breaks).toBe(breaks + 1);
    told("lost");
    told("open");
    expect(store.breaks).toBeGreaterThan(breaks + 1);
  });
});
