import { withShiftedTopic } from "../adapters/event-log/shifted-topic.ts";
import type { CarriedState } from "../domain/evaluation/carried-state.ts";
import { PartitionEvaluation } from "../domain/evaluation/evaluation.ts";
import type { PartitionState } from "../domain/evaluation/partition-state.ts";
import { writeBuckets } from "../evaluate/sealed-snapshot.ts";
import type { ControlStore, OutboxRow } from "../ports/control-store.ts";
import type { EventLog } from "../ports/event-log.ts";
import type { Surroundings } from "../ports/surroundings.ts";
import type { TimeSeries } from "../ports/time-series.ts";
import { relayBatch } from "../serve/relay-batch.ts";
import { carriedFrom, statesOf } from "./carried-signals.ts";
import type { Engines, LogAndControl } from "./engines.ts";
import { StartError } from "./start-error.ts";

export const LOG_ID = "log_id";
const EVENTS_BASE = "events_base:";
const SOURCES_DUE = "sources_due:";
const eventsBaseOf = (logId: string) => EVENTS_BASE + logId;
const sourcesDueOf = (logId: string) => SOURCES_DUE + logId;

/** Whether a fact speaks of the log that control data is kept beside. */
export const isFactOfLog = (name: string): boolean =>
  name === LOG_ID || name.startsWith(EVENTS_BASE) || name.startsWith(SOURCES_DUE);

/** Whether nothing of another installation stands in the log: then it may begin where the one before ended. */
const isNew = async (log: EventLog): Promise<boolean> => {
  const bounds = [...(await log.bounds("events")), ...(await log.bounds("sources"))];
  return bounds.every(({ end }) => end === 0);
};

const append = async (log: EventLog, entries: readonly OutboxRow["entry"][]): Promise<void> => {
  let rows = entries.map((entry, position): OutboxRow => ({ position, entry }));
  for (;;) {
    const batch = relayBatch(rows, log.partitions("readings"));
    if (batch === null) return;
    await log.append("readings", batch.readings);
    await log.append("sources", batch.sources);
    rows = rows.slice(batch.rows);
  }
};

/**
 * Snapshots at offset 0, so that every evaluator begins with its part of the state. One that an earlier try has sealed
 * is the same, and stays: another would push out the one of the log before, which the next try would need.
 */
const sealAll = async (
  state: CarriedState,
  { snapshots }: ControlStore,
  surroundings: Surroundings,
  signal: AbortSignal,
) => {
  for (const partition of state.states) {
    const { of } = partition;
    const newest = await snapshots.newest(of.partition);
    if (newest?.logId === of.logId) continue;
    const previous = newest?.generation ?? null;
    const picture = new PartitionEvaluation(of, partition).snapshot();
    const seal = await writeBuckets({ snapshots, ...surroundings, signal }, of, picture, previous);
    signal.throwIfAborted();
    if (!(await snapshots.seal(seal, previous)))
      throw new StartError("Another process is starting on this log at the same time: start this one again.");
  }
};

/** What is known of a log whose place another one takes. */
export interface LogBefore {
  readonly states: readonly PartitionState[];
  /** One past the position of its last event, where that is known; never below what is stored. */
  readonly eventsEnd: number;
}

/**
 * Lets the engines' new, empty log go on where the one before ended. Safe to be cut off anywhere: it is done again from
 * the start, until control data remembers the new log.
 */
export const succeed = async (
  { states, eventsEnd }: LogBefore,
  engines: Engines,
  surroundings: Surroundings,
  lost: AbortSignal,
): Promise<void> => {
  const { log, control, timeSeries } = engines;
  const { state, changes } = await carriedFrom(states, engines);
  await sealAll(state, control, surroundings, lost);
  await append(
    log,
    changes.map((change) => ({ topic: "readings", change })),
  );
  // The first to say it has said it: a process that froze here and wakes later changes nothing.
  const end = Math.max(eventsEnd, await timeSeries.eventsEnd());
  const base = Number(await control.facts.ensure(eventsBaseOf(log.logId), String(end)));
  lost.throwIfAborted();
  await control.recordProgress.read(log.logId, "events", 0);
  const from = { done: 0, pendingEnd: null };
  await control.recordProgress.advance(log.logId, "events", 0, from, { done: base, pendingEnd: null });
  lost.throwIfAborted();
  await control.facts.set(sourcesDueOf(log.logId), "yes");
  await control.facts.set(LOG_ID, log.logId);
};

/** Once for each log that took another's place: which sources there are. */
export const appendSources = async ({ log, control }: LogAndControl): Promise<void> => {
  if ((await control.facts.get(sourcesDueOf(log.logId))) !== "yes") return;
  const sources = await control.sources.all();
  await append(
    log,
    sources.map(({ id, revision }) => ({ topic: "sources", sourceId: id, revision })),
  );
  await control.facts.set(sourcesDueOf(log.logId), "done");
};

/** At which position the events of a log begin, as everybody counts them: after those of the logs before it. */
export const eventsBase = async ({ facts }: Pick<ControlStore, "facts">, logId: string): Promise<number> =>
  Number((await facts.get(eventsBaseOf(logId))) ?? 0);

/**
 * Sees to it that the log is the one that control data was kept beside. A new, empty one is taken as its successor, and
 * said to be: it begins with the state that the other left behind, its events follow those that are stored, and its own
 * id in every token keeps any reading from being taken for one of the other's. One with another history is refused.
 * Gives the log with the positions of its events as everybody counts them; `timeSeries` is asked for only for a new log.
 */
export const succeedLog = async (
  { log, control }: LogAndControl,
  timeSeries: () => Promise<TimeSeries>,
  surroundings: Surroundings,
  advice: string,
  lost: AbortSignal,
): Promise<EventLog> => {
  const { logId } = log;
  const remembered = await control.facts.ensure(LOG_ID, logId);
  if (remembered !== logId) {
    if (!(await isNew(log)))
      throw new StartError(
        `The event log is ${logId}, but control data was kept beside the log ${remembered}.\n${advice}`,
      );
    surroundings.telemetry.log.warn({ logId, before: remembered }, "log_succeeded");
    const engines = { log, control, timeSeries: await timeSeries() };
    const before = { states: await statesOf(control, remembered), eventsEnd: 0 };
    await succeed(before, engines, surroundings, lost);
  }
  await appendSources({ log, control });
  return withShiftedTopic(log, "events", await eventsBase(control, logId));
};
