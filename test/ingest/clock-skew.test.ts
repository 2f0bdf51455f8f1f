import { describe, expect, it } from "vitest";
import { ClockSkew } from "../../src/intake/clock-skew.ts";
import { ingestMetrics } from "../../src/intake/metrics.ts";
import { pinoLogger } from "../../src/telemetry/telemetry.ts";
import { ManualClock } from "../support/clock.ts";
import { testTelemetry } from "../support/telemetry.ts";

const measuring = () => {
  const clock = new ManualClock();
  const { metrics } = testTelemetry();
  const told: unknown[] = [];
  const logger = pinoLogger("warn", { write: (line) => told.push(JSON.parse(line)) });
  const skew = new ClockSkew({ clock, logger, metrics: ingestMetrics(metrics) });
  /** An append that takes 100 ms, of a log whose clock is ahead. */
  const append = (aheadMs: number) => {
    const began = clock.now();
    clock.advance(100);
    skew.measure(began, [{ partition: 0, offset: 0, appendedAt: began + 50 + aheadMs }]);
  };
  const shown = async () => /^ingest_clock_skew_seconds (.*)$/m.exec((await metrics.expose()).text)?.[1];
  return { clock, skew, append, told, shown };
};

describe("the clock of the log", () => {
  it("is told of once when it is more than five seconds ahead or behind, and again after it was right", async () => {
    const { append, told, shown } = measuring();
    append(6_000);
    append(6_000);
    expect(await shown()).toBe("5.95");
    append(0);
    expect(await shown()).toBe("0");
    append(-7_000);
    expect(await shown()).toBe("-6.95");
    expect(told).toMatchObject([
      { msg: "ingest_clock_skewed", logIsAheadMs: 5_950 },
      { msg: "ingest_clock_skewed", logIsAheadMs: -6_950 },
    ]);
  });

  it("is not blamed for an append that took long, nor where it says nothing", async () => {
    const { clock, skew, told, shown } = measuring();
    const began = clock.now();
    clock.advance(60_000);
    skew.measure(began, [{ partition: 0, offset: 0, appendedAt: began + 1 }]);
    skew.measure(began, [{ partition: 0, offset: 0, appendedAt: -1 }]);
    skew.measure(began, []);
    expect(await shown()).toBe("0");
    expect(told).toEqual([]);
  });
});
