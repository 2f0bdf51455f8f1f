import { expect, it } from "vitest";
import { AbsentNames } from "../../src/intake/absent-names.ts";
import { ingestMetrics } from "../../src/intake/metrics.ts";
import { RejectionLog } from "../../src/intake/rejection-log.ts";
import { ManualClock } from "../support/clock.ts";
import { testTelemetry } from "../support/telemetry.ts";

/** A clock whose wall time somebody sets anew while time itself goes on. */
class SteppedClock extends ManualClock {
  stepMs = 0;
  override now(): number {
    return super.now() + this.stepMs;
  }
}

it("a name that meant no signal is asked again after a second, also when the wall clock was set back", () => {
  const clock = new SteppedClock();
  const absent = new AbsentNames(clock);
  absent.add("stranger");
  clock.stepMs = -3_600_000;
  expect(absent.has("stranger")).toBe(true);
  clock.advance(1_001);
  expect(absent.has("stranger")).toBe(false);
});

it("a wall clock that is set to and fro does not make more than ten rejections a second be kept", () => {
  const clock = new SteppedClock();
  const log = new RejectionLog(clock, ingestMetrics(testTelemetry().metrics));
  for (let n = 0; n < 50; n++) {
    clock.stepMs = (n % 2) * -3_600_000;
    log.add("not_json", "junk", "{");
  }
  expect(log.take()).toHaveLength(10);
});
