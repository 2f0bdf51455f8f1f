import { expect, test } from "vitest";
import { Background } from "../../src/serve/background.ts";

test("of many tasks a few run at once, in their order, and all of them before the end", async () => {
  const tasks = new Background();
  const [begun, ends]: [number[], (() => void)[]] = [[], []];
  const failed: unknown[] = [];
  let most = 0;
  let running = 0;
  const waiting = Array.from({ length: 20 }, (_, n) =>
    tasks.runAmong(
      3,
      async () => {
        begun.push(n);
        most = Math.max(most, ++running);
        await new Promise<void>((resolve) => ends.push(resolve));
        running--;
        if (n % 2 === 1) throw new Error(`${n}`);
      },
      (error) => failed.push(error),
    ),
  );
  await Promise.all(waiting.slice(0, 3));
  expect(begun).toEqual([0, 1, 2]);
  const settled = tasks.settled();
  for (let n = 0; n < 20; n++) {
    await waiting[n];
    ends[n]?.();
  }
  await settled;
  expect(begun).toEqual(Array.from({ length: 20 }, (_, n) => n));
  expect([most, running, failed.length]).toEqual([3, 0, 10]);
});
