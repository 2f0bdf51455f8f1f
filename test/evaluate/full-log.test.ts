import { expect, test } from "vitest";
import { tickRecord } from "../../src/domain/records.ts";
import { LogFullError } from "../../src/ports/event-log.ts";
import { ManualClock } from "../support/clock.ts";
import { openTestEngines } from "../support/engines.ts";
import { allEvaluated, change, start, watchedSeals } from "../support/evaluate.ts";
import { signalChange } from "../support/partition.ts";
import { until } from "../support/until.ts";

const block = { value: new Uint8Array(50_000).fill(10) };

/** A log at its limit and the evaluator on it, whose 30 s between two snapshots never pass. */
const fullLog = async () => {
  const engines = await openTestEngines(1, { maxBytes: 500_000 });
  const { log } = engines;
  const clock = new ManualClock();
  const { control, sealedAt } = watchedSeals(engines);
  const settings = { snapshotEveryMs: 1e12, snapshotWhenFullEveryMs: 1_000 };
  const worker = await start({ ...engines, control, clock }, settings);
  await change(log, signalChange(1));
  const refused = await until("the log to be full", () =>
    log.append("readings", [block], { bounded: true }).then(
      () => null,
      (error: unknown) => error,
    ),
  );
  expect(refused).toBeInstanceOf(LogFullError);
  return { ...engines, worker, clock, seals: () => sealedAt.length };
};

type FullLog = Awaited<ReturnType<typeof fullLog>>;

/** Lets time pass while something waits for it. */
const whileTimePasses = async <T>({ clock }: FullLog, task: Promise<T>): Promise<T> => {
  const passing = setInterval(() => clock.advance(200), 5);
  return await task.finally(() => clearInterval(passing));
};

const bothKeptAtEnd = async ({ log, control }: FullLog) => {
  const end = (await log.bounds("readings"))[0]?.end;
  await until("both kept snapshots to stand at the end of the log", async () => {
    const older = await control.snapshots.lastButOne(0);
    return older?.offset === end && (await control.snapshots.newest(0))?.offset === end;
  });
};

test("pictures a full log's end twice, so that all of it can be trimmed though one picture be damaged", async () => {
  const full = await fullLog();
  await whileTimePasses(full, bothKeptAtEnd(full));
  await whileTimePasses(full, full.worker.stop());
});

test("pictures no more than that, whatever time passes, until more than ticks follows", async () => {
  const full = await fullLog();
  await whileTimePasses(full, bothKeptAtEnd(full));
  const seals = full.seals();
  await full.log.append("readings", [tickRecord(0)]);
  await whileTimePasses(full, allEvaluated(full.log));
  const soon = full.clock.now() + 20_000;
  await whileTimePasses(
    full,
    until("20 s to pass", () => full.clock.now() > soon),
  );
  expect(full.seals()).toBe(seals);
  await whileTimePasses(full, full.worker.stop());
});
