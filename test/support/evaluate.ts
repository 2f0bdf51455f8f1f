import { onTestFinished } from "vitest";
import { readingLine } from "../../src/domain/reading-line.ts";
import { changeRecord, readEvent } from "../../src/domain/records.ts";
import { startEvaluate } from "../../src/evaluate/evaluate.ts";
import type { EvaluateSettings } from "../../src/evaluate/settings.ts";
import type { EventLog } from "../../src/ports/event-log.ts";
import { caughtUp } from "./caught-up.ts";
import { allRecords, type TestEngines } from "./engines.ts";
import { signalId } from "./partition.ts";
import { until } from "./until.ts";

/** A worker in a hurry, stopped at the end of the test at the latest. */
export const start = async (engines: TestEngines, settings: Partial<EvaluateSettings> = {}) => {
  const worker = await startEvaluate({
    ...engines,
    settings: { liveEveryMs: 10, commitEveryMs: 1, ...settings },
  });
  onTestFinished(() => worker.stop());
  return worker;
};

/** Appends changes to partition 0. */
export const change = (log: EventLog, ...changes: Parameters<typeof changeRecord>[0][]) =>
  log.append(
    "readings",
    changes.map((each) => changeRecord(each, 0)),
  );

/** One block of readings of signal 1. */
export const read = (log: EventLog, ...strengths: number[]) => {
  const lines = strengths.map((strength, i) => readingLine(signalId(1), Date.now() + i, strength));
  return log.append("readings", [{ value: new TextEncoder().encode(lines.join("")) }]);
};

export const events = async (log: EventLog) =>
  (await allRecords(log, "events")).map((record) => readEvent(record).event);
export const eventsOnce = (log: EventLog, count: number) =>
  until(`${count} events`, async () => {
    const all = await events(log);
    return all.length >= count ? all : null;
  });
/** Everything that was appended to `readings` is evaluated and committed; the workers' own ticks may come after it. */
export const allEvaluated = (log: EventLog) => caughtUp(log, "evaluate", "readings");

/** Control data that tells up to which offsets snapshots were sealed. */
export const watchedSeals = ({ control }: TestEngines) => {
  const sealedAt: number[] = [];
  const snapshots = {
    ...control.snapshots,
    seal: async (...[seal, previous]: Parameters<typeof control.snapshots.seal>) => {
      sealedAt.push(seal.offset);
      return await control.snapshots.seal(seal, previous);
    },
  };
  return { control: { ...control, snapshots }, sealedAt };
};

/** The log, but for an engine that fails as the test says. */
export const faulty = (log: EventLog, append: EventLog["append"]): EventLog =>
  new Proxy(log, {
    get: (target, name) => {
      if (name === "append") return append;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
