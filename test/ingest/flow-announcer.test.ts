import { expect, it } from "vitest";
import { SourceId } from "../../schemas/common.ts";
import { systemEntropy } from "../../src/adapters/system/clock.ts";
import { readChange } from "../../src/domain/records.ts";
import { FlowAnnouncer } from "../../src/intake/flow-announcer.ts";
import { ManualClock } from "../support/clock.ts";
import { allRecords, openTestEngines } from "../support/engines.ts";
import { FaultyLog } from "../support/faulty-log.ts";
import { testTelemetry } from "../support/telemetry.ts";
import { until } from "../support/until.ts";

const ID = SourceId.parse("src_01JDA2V3Q8R5T7W9Y1B3D5F7H9");
const OTHER = SourceId.parse("src_01JDA2V3Q8R5T7W9Y1B3D5F7H8");

/** A source that the log knows as paused. */
const paused = async () => {
  const engines = await openTestEngines();
  const log = new FaultyLog(engines.log);
  const clock = new ManualClock();
  const { log: logger } = testTelemetry();
  const announcer = new FlowAnnouncer({ log, clock, entropy: systemEntropy, logger });
  const said = async (id: SourceId) => {
    const records = (await allRecords(engines.log, "readings")).filter(({ partition }) => partition === 0);
    return records.flatMap((record) => {
      const change = readChange(record);
      return change.type === "sourceFlow" && change.sourceId === id ? [change.paused] : [];
    });
  };
  announcer.started(ID);
  await until("the start", async () => (await said(ID)).length === 1);
  announcer.paused(ID, true);
  clock.advance(250);
  await until("the pause", async () => (await said(ID)).length === 2);
  return { announcer, clock, log, said };
};

it("leaves the last word on a source that moves to the one that runs it next", async () => {
  const { announcer, said } = await paused();
  await announcer.handOver(ID);
  announcer.started(OTHER);
  await until("the other source", async () => (await said(OTHER)).length === 1);
  await announcer.stop(new AbortController().signal);
  expect(await said(ID)).toEqual([false, true]);
});

it("lets a source that is gone flow", async () => {
  const { announcer, said } = await paused();
  announcer.ended(ID);
  await until("the flow", async () => (await said(ID)).length === 3);
  expect(await said(ID)).toEqual([false, true, false]);
});

it("gives up its last word where the log does not take it in time, and never says it later", async () => {
  const { announcer, clock, log, said } = await paused();
  announcer.started(OTHER);
  await until("the other source", async () => (await said(OTHER)).length === 1);
  log.refused.add("readings");
  const left = announcer.leave(OTHER);
  await until("the wait", () => clock.pending > 0);
  clock.advance(1_500);
  await left;
  log.refused.clear();
  const stopping = announcer.stop(new AbortController().signal);
  clock.advance(60_000);
  await stopping;
  expect(await said(OTHER)).toEqual([false]);
});
