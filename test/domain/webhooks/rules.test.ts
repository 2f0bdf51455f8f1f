import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  afterAttempt,
  type Circuit,
  CLOSED,
  OPEN_AFTER_FAILURES,
  stateOf,
} from "../../../src/domain/webhooks/circuit.ts";
import {
  ATTEMPT_FAILURES,
  type AttemptFailure,
  explain,
  outcomeOf,
} from "../../../src/domain/webhooks/outcome.ts";
import { ATTEMPTS_MAX, RETRY_DELAYS_MS, retryDelayMs } from "../../../src/domain/webhooks/schedule.ts";

const HOUR_MS = 3_600_000;

const isFailure = (code: string): code is AttemptFailure => code in ATTEMPT_FAILURES;

describe("what came of an attempt", () => {
  test("is decided by one table: 2xx is done, 410 disables, every other status is tried again", () => {
    for (let status = 100; status <= 599; status++) {
      const expected = status >= 200 && status <= 299 ? "done" : status === 410 ? "disable" : "retry";
      expect([status, outcomeOf({ status })]).toEqual([status, expected]);
      expect(explain({ status })).toMatch(/^[A-Z].+\.$/);
    }
  });

  test("is tried again whatever kept a connection from being made or answered, and is told", () => {
    for (const failure of Object.keys(ATTEMPT_FAILURES).filter(isFailure)) {
      expect(outcomeOf({ failure, detail: "" })).toBe("retry");
      expect(explain({ failure, detail: "self-signed certificate" })).toContain("self-signed certificate");
    }
  });
});

describe("the schedule of retries", () => {
  test("is 5 s, 30 s, 2 min, 10 min, 30 min, 2 h, 6 h, 12 h, 24 h, and then no more", () => {
    const seconds = RETRY_DELAYS_MS.map((ms) => ms / 1000);
    expect(seconds).toEqual([5, 30, 120, 600, 1800, 7200, 21_600, 43_200, 86_400]);
    expect(ATTEMPTS_MAX).toBe(10);
    expect(retryDelayMs(10, 0.5, null)).toBeNull();
    expect(retryDelayMs(10, 0.5, 1000)).toBeNull();
  });

  test("spreads by 20 % to either side", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (failed, random) => {
          const plain = RETRY_DELAYS_MS[failed - 1] ?? 0;
          const delay = retryDelayMs(failed, random, null) ?? -1;
          expect(delay).toBeGreaterThanOrEqual(plain * 0.8);
          expect(delay).toBeLessThanOrEqual(plain * 1.2);
        },
      ),
    );
    expect(retryDelayMs(1, 0, null)).toBe(4_000);
    expect(retryDelayMs(1, 0.999_999, null)).toBe(6_000);
  });

  test("waits as long as the receiver asks, up to a day, and never less than it would by itself", () => {
    expect(retryDelayMs(1, 0.5, 60_000)).toBe(60_000);
    expect(retryDelayMs(1, 0.5, 0)).toBe(5_000);
    expect(retryDelayMs(1, 0.5, 400 * HOUR_MS)).toBe(24 * HOUR_MS);
  });
});

describe("the circuit of an endpoint", () => {
  const fail = (circuit: Circuit, times: number, nowMs: number) =>
    Array.from({ length: times }).reduce<Circuit>((last) => afterAttempt(last, false, nowMs, 0.5), circuit);

  test("opens after ten failures in a row, lets one through after a pause, and closes on success", () => {
    const nearly = fail(CLOSED, OPEN_AFTER_FAILURES - 1, 1_000);
    expect(stateOf(nearly, 1_000)).toBe("closed");
    const open = fail(nearly, 1, 1_000);
    expect(open).toMatchObject({ failuresInRow: 10, failingSinceMs: 1_000 });
    expect(stateOf(open, 1_001)).toBe("open");
    expect(stateOf(open, 6_000)).toBe("half-open");
    expect(afterAttempt(open, true, 6_000, 0.5)).toEqual(CLOSED);
  });

  test("stays open longer with each probe that fails, five minutes at most", () => {
    let circuit = fail(CLOSED, OPEN_AFTER_FAILURES, 0);
    const pauses: number[] = [];
    for (let i = 0; i < 10; i++) {
      const nowMs = circuit.openUntilMs ?? 0;
      circuit = afterAttempt(circuit, false, nowMs, 0.999_999_9);
      pauses.push((circuit.openUntilMs ?? 0) - nowMs);
    }
    expect(pauses).toEqual(pauses.toSorted((a, b) => a - b));
    expect(pauses[0]).toBeGreaterThan(5_000);
    expect(pauses.at(-1)).toBeLessThanOrEqual(300_000);
    expect(pauses.at(-1)).toBeGreaterThan(290_000);
    expect(circuit.failingSinceMs).toBe(0);
  });

  test("is not held open longer by what was under way when it opened", () => {
    const open = fail(CLOSED, OPEN_AFTER_FAILURES, 0);
    expect(fail(open, 20, 1)).toEqual(open);
  });

  test("closes on a success that was under way when it opened", () => {
    expect(afterAttempt(fail(CLOSED, 12, 0), true, 1, 0.5)).toEqual(CLOSED);
  });
});
