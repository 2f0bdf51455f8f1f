import { setTimeout as delay } from "node:timers/promises";

type Nothing = false | null | undefined;

/** Asks `probe` again and again until it gives something truthy; fails, saying what it waited for, after `timeoutMs`. */
export const until = async <T>(
  what: string,
  probe: () => T | Nothing | Promise<T | Nothing>,
  timeoutMs = 60_000,
): Promise<T> => {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const value = await probe();
    if (value) return value;
    if (performance.now() > deadline) throw new Error(`waited ${timeoutMs} ms in vain for: ${what}`);
    await delay(5);
  }
};
