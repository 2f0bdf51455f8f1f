import { setTimeout as delay } from "node:timers/promises";

/**
 * Each of so many a second from now on, once it is due, by the time at which it was (Unix ms with their fraction): all of
 * them, however late it is. Who takes the moment of sending in its place misses that the sender itself was held up.
 */
export async function* evenFlow(perSecond: number, count = Number.POSITIVE_INFINITY): AsyncGenerator<number> {
  const from = performance.now();
  for (let number = 1; number <= count; number++) {
    const dueAt = from + (number * 1_000) / perSecond;
    const early = dueAt - performance.now();
    if (early > 0) await delay(Math.ceil(early));
    yield performance.timeOrigin + dueAt;
  }
}
