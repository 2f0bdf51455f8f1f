import { followLevels } from "./alerts.ts";
import { calmDown } from "./flapping.ts";
import { compared, IDLE, type Machine, type Moment, passed, type Verdict, type Waits } from "./machine.ts";
import { movementOf } from "./movement.ts";
import { isOpen, opensWithin } from "./schedule.ts";
import { byId, type SignalState, type Watch } from "./state.ts";
import type { Step } from "./step.ts";
import { iso } from "./told.ts";
import { comparedValue, thresholdVerdict, tooWeakSince } from "./values.ts";

const FIRES: Verdict = { fires: true, clears: false };
const CLEARS: Verdict = { fires: false, clears: true };

const waitsOf = ({ rule }: Watch): Waits => ({
  forMs: Math.round(rule.forSeconds * 1000),
  keepFiringForMs: Math.round(rule.keepFiringForSeconds * 1000),
});

const isNoData = ({ rule }: Watch): boolean => rule.condition.operator === "noData";

/** It waits for its schedule only: its source may be held back meanwhile. */
const isFoundSilent = ({ closedSinceMs }: Watch): boolean => closedSinceMs !== null;

/** Time passes for a signal: `now.at` is its newest reading's, or that of the one that has come. */
export const passTime = (step: Step, now: Moment, isHeldBack: boolean): void => {
  const { signal } = step;
  for (const watch of byId(signal.watches)) {
    calmDown(step, watch, now);
    watch.machines = watch.machines.map((machine) => waited(watch, machine, now));
    if (isNoData(watch) && (!isHeldBack || isFoundSilent(watch))) lookForSilence(watch, signal, now);
    followLevels(step, watch);
  }
  if (!isHeldBack) lookForOwnSilence(signal, now);
};

/** What has waited for long enough fires only if the schedule is open at that moment, by the readings' time. */
const waited = (watch: Watch, machine: Machine, now: Moment): Machine => {
  const waits = waitsOf(watch);
  const after = passed(machine, now, waits);
  const firesNow = machine.phase === "pending" && after.phase === "firing";
  return firesNow && !isOpen(watch.rule.schedule, machine.since.at + waits.forMs) ? IDLE : after;
};

const lookForOwnSilence = (signal: SignalState, now: Moment): void => {
  const { noDataAfterSeconds } = signal.definition;
  // An interval that is learned has tests of its own.
  if (signal.newest === null || signal.silent !== null || typeof noDataAfterSeconds !== "number") return;
  if (signal.silenceMs >= noDataAfterSeconds * 1000)
    signal.silent = { kind: "noData", since: iso(now.record), value: signal.silenceMs / 1000 };
};

/**
 * Silence fires at once while the schedule is open; else it is pending until that opens. An alert that is kept firing
 * goes on when silence returns, schedule or not.
 */
const lookForSilence = (watch: Watch, signal: SignalState, now: Moment): void => {
  const [machine = IDLE] = watch.machines;
  const isTooLong = signal.silenceMs >= (watch.rule.condition.overSeconds ?? 0) * 1000;
  if (machine.phase === "firing" || signal.newest === null || !isTooLong) return;
  watch.closedSinceMs ??= now.record;
  const isOver = watch.alert === null;
  if (isOver && !opensWithin(watch.rule.schedule, watch.closedSinceMs, now.record)) return;
  watch.machines = [compared(machine, FIRES, now, waitsOf(watch))];
  if (watch.alert !== null) watch.alert.silenceSeconds = null;
};

/** The newest reading of a signal is compared; the signal holds it already. */
export const compareReading = (step: Step, now: Moment): void => {
  const { signal } = step;
  for (const watch of byId(signal.watches)) {
    const x = isNoData(watch) ? 0 : takenValue(watch, signal);
    const isClosed = !isOpen(watch.rule.schedule, now.at);
    if (isNoData(watch)) endSilence(watch, signal, now);
    else watch.machines = watch.machines.map((machine, i) => judged(watch, machine, i, x, now));
    if (isClosed) watch.machines = watch.machines.map(() => IDLE);
    followLevels(step, watch, isClosed ? "schedule" : "recovered");
  }
  judgeThreshold(step);
  signal.silent = null;
  signal.silenceMs = 0;
};

const judged = (watch: Watch, machine: Watch["machines"][number], level: number, x: number, now: Moment) => {
  const verdict = watch.limits[level]?.verdict(x) ?? CLEARS;
  return compared(machine, verdict, now, waitsOf(watch));
};

/** Dbm, quality, or how far the reading has moved; then it is past itself. */
const takenValue = (watch: Watch, signal: SignalState): number => {
  if (signal.newest === null) return Number.NaN;
  const { at, strength } = signal.newest;
  const value = Math.fround(comparedValue(watch, signal, strength));
  if (watch.rule.condition.operator !== "change") return value;
  watch.movement = Math.fround(movementOf({ at, value }, watch.past, watch.rule.condition));
  watch.past.push({ at, value });
  return watch.movement;
};

const endSilence = (watch: Watch, signal: SignalState, now: Moment): void => {
  const [machine = IDLE] = watch.machines;
  if (watch.alert !== null && machine.phase === "firing")
    watch.alert.silenceSeconds = signal.silenceMs / 1000;
  watch.machines = [compared(machine, CLEARS, now, waitsOf(watch))];
  watch.closedSinceMs = null;
};

const judgeThreshold = ({ signal, recordMs }: Step): void => {
  const { fires, clears } = thresholdVerdict(signal);
  if (signal.tooWeak === null && fires) signal.tooWeak = tooWeakSince(signal, recordMs);
  else if (signal.tooWeak !== null && clears) signal.tooWeak = null;
};

/** A late reading is no value, but life. */
export const noteLife = (step: Step, now: Moment): void => {
  const { signal } = step;
  for (const watch of byId(signal.watches)) {
    if (isNoData(watch)) endSilence(watch, signal, now);
    followLevels(step, watch);
  }
  signal.silent = null;
  signal.silenceMs = 0;
};
