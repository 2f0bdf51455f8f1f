import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  ACCOUNT_ALLOWANCE,
  ADDRESS_ALLOWANCE,
  type Allowance,
  leftOf,
  readyAt,
  spend,
} from "../../../src/domain/alert-mails/budget.ts";

const HOUR_MS = 3_600_000;
const NOW = Date.UTC(2026, 0, 1);

/** When e-mails leave of an address that always has something to be told, asked for at these times. */
const sentAt = (allowance: Allowance, times: readonly number[], atOnce: number): number[] => {
  let spent = 0;
  return times.flatMap((now) => {
    const count = Math.min(leftOf(allowance, spent, now), atOnce);
    if (count === 0) return [];
    spent = spend(allowance, spent, now, count);
    return Array.from({ length: count }, () => now);
  });
};

describe.each([
  ["an address", ADDRESS_ALLOWANCE, 20],
  ["an account", ACCOUNT_ALLOWANCE, 200],
] as const)("what %s may be sent", (_, allowance, most) => {
  test("is never more in an hour, wherever it begins", () => {
    const steps = fc.array(fc.integer({ min: 0, max: HOUR_MS / 4 }), { minLength: 100, maxLength: 200 });
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: most }), (waits, atOnce) => {
        let now = NOW;
        const times = waits.map((wait) => {
          now += wait;
          return now;
        });
        const sent = sentAt(allowance, times, atOnce);
        // The one that is `most` behind another comes an hour later at least.
        const isTooMany = sent.some((at, n) => (sent[n + most] ?? Number.POSITIVE_INFINITY) < at + HOUR_MS);
        expect(isTooMany).toBe(false);
      }),
    );
  });

  test("is used up at once and comes back bit by bit, to the millisecond", () => {
    const { burst, everyMs } = allowance;
    expect(leftOf(allowance, 0, NOW)).toBe(burst);
    const spent = spend(allowance, 0, NOW, burst);
    expect(leftOf(allowance, spent, NOW)).toBe(0);
    expect(readyAt(allowance, spent)).toBe(NOW + everyMs);
    expect(leftOf(allowance, spent, NOW + everyMs - 1)).toBe(0);
    expect(leftOf(allowance, spent, NOW + everyMs)).toBe(1);
    expect(leftOf(allowance, spent, NOW + burst * everyMs)).toBe(burst);
    expect(leftOf(allowance, spent, NOW + 100 * HOUR_MS)).toBe(burst);
  });

  test("is as used up for a process whose clock is behind", () => {
    const spent = spend(allowance, 0, NOW + 500, allowance.burst);
    expect(leftOf(allowance, spent, NOW)).toBe(0);
    expect(leftOf(allowance, spent, NOW - HOUR_MS / 2)).toBe(0);
  });

  test("is not lost for as long as a clock was wrong", () => {
    const spent = spend(allowance, 0, NOW + 1_000 * HOUR_MS, allowance.burst);
    expect(leftOf(allowance, spent, NOW)).toBe(allowance.burst);
    const after = spend(allowance, spent, NOW, allowance.burst);
    expect(readyAt(allowance, after)).toBe(NOW + allowance.everyMs);
  });
});
