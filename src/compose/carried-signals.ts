import type { Change } from "../../schemas/change.ts";
import type { SignalId } from "../../schemas/common.ts";
import { CarriedState } from "../domain/evaluation/carried-state.ts";
import { RuleTemplate } from "../domain/evaluation/compiled-rule.ts";
import type { PartitionState } from "../domain/evaluation/partition-state.ts";
import { ownerOfSnapshot, SnapshotUnreadableError } from "../domain/snapshot.ts";
import { readSealed } from "../evaluate/sealed-snapshot.ts";
import type { ControlStore, SnapshotSeal, StoredSignal } from "../ports/control-store.ts";
import type { EventRow } from "../ports/time-series.ts";
import { ruleChanges, silenceChanges } from "./carried-changes.ts";
import type { Engines } from "./engines.ts";

const PAGE = 1_000;

const allSignals = async ({ signals }: ControlStore): Promise<Map<SignalId, StoredSignal>> => {
  const found = new Map<SignalId, StoredSignal>();
  for (let after: SignalId | null = null; ; ) {
    const page: StoredSignal[] = await signals.all(after, PAGE);
    for (const stored of page) found.set(stored.definition.id, stored);
    after = page.at(-1)?.definition.id ?? null;
    if (page.length < PAGE) return found;
  }
};

const stateOf = async ({ snapshots }: ControlStore, seal: SnapshotSeal): Promise<PartitionState | null> => {
  const bucket = (index: number) => snapshots.bucket(seal.partition, seal.generation, index);
  const first = await bucket(0);
  if (first === null) return null;
  try {
    return await readSealed(seal, ownerOfSnapshot(first), bucket);
  } catch (error) {
    if (error instanceof SnapshotUnreadableError) return null;
    throw error;
  }
};

/** The newest readable state of every partition of the log of this id. */
export const statesOf = async (control: ControlStore, logId: string): Promise<PartitionState[]> => {
  const states: PartitionState[] = [];
  for (const partition of await control.snapshots.partitions()) {
    const seals = [await control.snapshots.newest(partition), await control.snapshots.lastButOne(partition)];
    for (const seal of seals) {
      const state = seal?.logId === logId ? await stateOf(control, seal) : null;
      if (state === null) continue;
      states.push(state);
      break;
    }
  }
  return states;
};

export interface Carried {
  readonly state: CarriedState;
  /** What control data says otherwise than the state: to be appended before anything else. */
  readonly changes: readonly Change[];
}

/**
 * What a log has left behind, for `log` to begin with: the states of its partitions, control data and the events that
 * are stored, put together. A signal's sequence is the furthest that any of them knows, so that no event is dropped as one
 * that was told already; and a signal of which more was told than its snapshot knows is what its events say.
 */
export const carriedFrom = async (states: readonly PartitionState[], engines: Engines): Promise<Carried> => {
  const { log, control, timeSeries } = engines;
  const stored = await allSignals(control);
  const rules = await control.rules.all();
  const told = await timeSeries.lastSequences(Number.MAX_SAFE_INTEGER);
  const sequenceOf = (id: SignalId) => Math.max(stored.get(id)?.sequence ?? 0, told.get(id) ?? 0);
  const state = new CarriedState(
    { logId: log.logId, partitions: log.partitions("readings") },
    states,
    rules.map(({ accountId, revision, rule }) => new RuleTemplate(accountId, revision, rule)),
    sequenceOf,
  );
  const changes = [
    ...ruleChanges(rules, states),
    ...silenceChanges(await control.silences.all(), states),
    ...signalChanges(stored, state, sequenceOf),
  ];
  const ahead = [...told].filter(([id, sequence]) => state.sequenceBefore(id) < sequence).map(([id]) => id);
  for (let from = 0; from < ahead.length; from += PAGE)
    correct(state, await timeSeries.lastEvents(ahead.slice(from, from + PAGE)));
  return { state, changes };
};

const correct = (state: CarriedState, rows: readonly EventRow[]): void => {
  for (const events of Map.groupBy(rows, ({ signalId }) => signalId).values()) {
    const newest = events.toSorted((a, b) => (b.event.sequence ?? 0) - (a.event.sequence ?? 0))[0];
    const alerts = events.flatMap(({ event: { data } }) => (data.alert === undefined ? [] : [data.alert]));
    if (newest?.event.data.signal !== undefined) state.correct(newest.event.data.signal, alerts);
  }
};

const signalChanges = (
  stored: ReadonlyMap<SignalId, StoredSignal>,
  state: CarriedState,
  sequenceOf: (id: SignalId) => number,
): Change[] => {
  const changes: Change[] = [];
  for (const { id, accountId, revision } of state.signals())
    if (!stored.has(id))
      changes.push({ type: "signalDeleted", signalId: id, accountId, revision: revision + 1 });
  for (const { definition } of stored.values()) {
    const known = state.get(definition.id);
    if (known === null && sequenceOf(definition.id) > 0) state.admit(definition);
    else if (known === null || known.revision < definition.revision)
      changes.push({ type: "signal", signal: definition });
  }
  return changes;
};
