import { expect, it, onTestFinished } from "vitest";
import { systemClock, systemEntropy } from "../../src/adapters/system/clock.ts";
import { statesOf } from "../../src/compose/carried-signals.ts";
import { LOG_ID, succeedLog } from "../../src/compose/succession.ts";
import { writeBuckets } from "../../src/evaluate/sealed-snapshot.ts";
import type { ControlStore } from "../../src/ports/control-store.ts";
import { LOG_ID as BEFORE, signalChange, signalId, TestPartition } from "../support/partition.ts";
import { openTestEngines } from "../support/serve.ts";

/** Control data whose process dies just before it would remember the new log. */
const cutOff = (control: ControlStore): ControlStore => ({
  ...control,
  facts: {
    ...control.facts,
    set: async (name, value) => {
      if (name === LOG_ID) throw new Error("cut off");
      await control.facts.set(name, value);
    },
  },
});

it("carries the state of the log before, however often the start was cut off amid it", async () => {
  const engines = await openTestEngines();
  onTestFinished(() => engines.close());
  const { log, control, telemetry } = engines;
  const series = async () => engines.timeSeries;
  const { signal } = new AbortController();
  const surroundings = { clock: systemClock, entropy: systemEntropy, telemetry };
  const { evaluation } = new TestPartition().change(signalChange(1)).strengths(-61.5);
  const of = { logId: BEFORE, partition: 0, partitions: 1 };
  const writing = { ...surroundings, snapshots: control.snapshots, signal: new AbortController().signal };
  await control.snapshots.seal(await writeBuckets(writing, of, evaluation.snapshot(), null), null);
  await control.facts.set(LOG_ID, BEFORE);

  for (const _ of [1, 2, 3]) {
    const dying = { ...engines, control: cutOff(control) };
    await expect(succeedLog(dying, series, surroundings, "", signal)).rejects.toThrow("cut off");
  }
  await succeedLog(engines, series, surroundings, "", signal);
  const states = await statesOf(control, log.logId);
  const strengths = states.map(({ signals }) => signals.get(signalId(1))?.strength);
  expect(strengths.filter((strength) => strength !== undefined)).toEqual([-61.5]);
});
