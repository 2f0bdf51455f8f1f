import { describe, expect, it, onTestFinished } from "vitest";
import { SignalCreate } from "../../schemas/signal.ts";
import { systemClock, systemEntropy } from "../../src/adapters/system/clock.ts";
import { IntakeRefusedError, PromptIntake } from "../../src/intake/prompt-intake.ts";
import { Reporter } from "../../src/intake/report.ts";
import { INTAKE_DEFAULTS } from "../../src/intake/settings.ts";
import { ControlUnavailableError } from "../../src/ports/control-store.ts";
import { LogUnavailableError } from "../../src/ports/event-log.ts";
import { FaultyLog } from "../support/faulty-log.ts";
import { TestIngest } from "../support/ingest.ts";
import { until } from "../support/until.ts";

const AT = "2026-01-01T00:00:00.000Z";

const start = async () => {
  const ingest = await TestIngest.start();
  await ingest.stop();
  const log = new FaultyLog(ingest.log);
  const { telemetry, accountId, control } = ingest;
  const machine = { clock: systemClock, entropy: systemEntropy, telemetry };
  const intake = new PromptIntake({ ...machine, log, signals: control.signals, settings: INTAKE_DEFAULTS });
  onTestFinished(() => intake.stop());
  const made = await control.signals.create(
    accountId,
    SignalCreate.parse({ name: "mast", threshold: 0.2, externalId: "mast-1" }),
  );
  if (!made.ok) throw new Error(made.reason);
  const { id } = made.value.definition;
  return { ingest, log, intake, accountId, signalId: id, reporter: new Reporter(intake, systemClock) };
};

describe("reports of readings", () => {
  it("are durable when they are answered, each with its own outcome, behind what the log must know of their signal", async () => {
    const { ingest, reporter, accountId, signalId } = await start();
    const outcomes = await reporter.report(accountId, [
      { signalId, strength: -70, at: AT },
      { externalId: "nobody", strength: -70 },
      { externalId: "mast-1", strength: -71, at: AT },
      { signalId: "mast-1", strength: -70 },
      { signalId, strength: 51 },
      { signalId, strength: -72, at: "yesterday" },
      { strength: -70 },
    ]);
    expect(outcomes.map((outcome) => (outcome.ok ? "ok" : outcome.reason))).toEqual([
      "ok",
      "unknown_signal",
      "ok",
      "unknown_signal",
      "strength_out_of_range",
      "bad_time",
      "signal_name_invalid",
    ]);
    expect((await ingest.lines()).map(({ strength }) => strength)).toEqual([-70, -71]);
    expect(await ingest.undefinedSignals()).toEqual([]);
  });

  it("that the log refuses are all refused, stay out of it, and leave the change of their signal ahead of the next", async () => {
    const { ingest, log, reporter, accountId, signalId } = await start();
    log.refused.add("readings");
    const report = () => reporter.report(accountId, [{ signalId, strength: -70, at: AT }]);
    await expect(report()).rejects.toThrow(LogUnavailableError);
    log.refused.clear();
    await until("the log to be tried again", async () => {
      try {
        return await report();
      } catch (error) {
        expect(error).toBeInstanceOf(IntakeRefusedError);
        return null;
      }
    });
    expect(await ingest.lines()).toHaveLength(1);
    expect(await ingest.undefinedSignals()).toEqual([]);
  });

  it("leave nothing behind when control data cannot say what a name means", async () => {
    const { ingest, reporter, accountId, signalId } = await start();
    await reporter.report(accountId, [{ signalId, strength: -70, at: AT }]);
    const { resolve } = ingest.control.signals;
    ingest.control.signals.resolve = () => Promise.reject(new ControlUnavailableError("gone"));
    const both = [
      { signalId, strength: -71 },
      { externalId: "mast-1", strength: -72 },
    ];
    await expect(reporter.report(accountId, both)).rejects.toThrow(ControlUnavailableError);
    ingest.control.signals.resolve = resolve;
    expect((await ingest.lines()).map(({ strength }) => strength)).toEqual([-70]);
  });
});
