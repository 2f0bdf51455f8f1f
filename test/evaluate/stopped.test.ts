import { expect, test } from "vitest";
import { systemClock } from "../../src/adapters/system/clock.ts";
import { temporaryDirectory } from "../support/directory.ts";
import { openTestControl, openTestEngines } from "../support/engines.ts";
import { allEvaluated, change, events, read, start } from "../support/evaluate.ts";
import { openTestLog } from "../support/lmdb-log.ts";
import { signalChange } from "../support/partition.ts";
import { until } from "../support/until.ts";

const STOPPED_MS = 10 * 60_000;
const NO_DATA_SECONDS = 60;
/** Less than the most that counts between two records. */
const STEP_MS = 4_000;

test("a stop of ten minutes fails no signal for want of data; running without data for its time does", async () => {
  const engines = await openTestEngines();
  const directory = await temporaryDirectory();
  const control = await openTestControl();
  let aheadMs = 0;
  const clock = { ...systemClock, now: () => Date.now() + aheadMs };
  const running = async () => {
    const log = await openTestLog({ directory, clock });
    const worker = await start({ ...engines, log, control, clock }, { tickAfterMs: 5 });
    const ends = async () => (await log.bounds("readings"))[0]?.end ?? 0;
    const ticked = async () => {
      const before = await ends();
      await until("time to be told", async () => (await ends()) > before);
      await allEvaluated(log);
    };
    return { log, worker, ticked };
  };
  const kinds = async (log: Parameters<typeof events>[0]) => (await events(log)).map(({ event }) => event);

  const before = await running();
  await change(before.log, signalChange(1, { noDataAfterSeconds: NO_DATA_SECONDS }));
  await read(before.log, -50);
  await before.ticked();
  await before.worker.stop();
  await before.log.close();

  aheadMs += STOPPED_MS;
  const after = await running();
  for (let tick = 0; tick < 3; tick++) await after.ticked();
  expect(await kinds(after.log)).toEqual(["signal.created"]);

  const from = clock.now();
  while (!(await kinds(after.log)).includes("signal.failed")) {
    expect(clock.now() - from).toBeLessThan(2 * NO_DATA_SECONDS * 1_000);
    aheadMs += STEP_MS;
    await after.ticked();
  }
  // What little ran before counts, too, and 5 s of the stop.
  expect(clock.now() - from).toBeGreaterThan((NO_DATA_SECONDS - 10) * 1_000);
  await after.worker.stop();
  await after.log.close();
});
