import type { Acknowledgement, AlertTerms, ResolveReason } from "../../../schemas/alert.ts";
import type { SignalDefinition } from "../../../schemas/change.ts";
import type { Severity } from "../../../schemas/condition.ts";
import type { Rule } from "../../../schemas/rule.ts";
import type { Reason } from "../../../schemas/signal.ts";
import type { LevelLimit } from "./limits.ts";
import { IDLE, type Machine, type Moment } from "./machine.ts";
import type { Evaluated } from "./movement.ts";
import type { Marks } from "./told.ts";

/** An event that tells of something that goes on, and what kept it from being delivered: null if nothing did. */
export interface Telling {
  readonly sequence: number;
  readonly heldBy: Marks | null;
}

/** One firing of a rule on a signal. */
export interface AlertState {
  readonly nth: number;
  readonly firedAtMs: number;
  /** The value with which it began, or took its severity, for the signal's reasons. */
  reasonValue: number | null;
  severity: Severity;
  /** Which end of its limit the value was beyond when it took this severity. */
  end: number;
  acknowledged: Acknowledgement | undefined;
  /** The newest `alert.firing`. */
  newest: Telling | null;
  /** Of no data: how long the silence was that a reading has ended, seconds. */
  silenceSeconds: number | null;
  resolved: {
    readonly atMs: number;
    readonly reason: ResolveReason;
    readonly value: number | null;
    readonly limit: number;
  } | null;
}

/** A rule that looks at a signal. */
export interface Watch {
  rule: Rule;
  limits: readonly LevelLimit[];
  /** One for each limit. */
  machines: readonly Machine[];
  /** Of a change: what was evaluated since the rule looks, and how far the newest has moved. */
  readonly past: Evaluated[];
  movement: number;
  /** Of no data: the record at which the silence was too long, though the schedule may have been closed. */
  closedSinceMs: number | null;
  alert: AlertState | null;
  /** The last alert that has resolved. */
  last: AlertState | null;
  /**
   * While the newest thing that was told, not held, of this rule and signal is that it fires: under which terms that was
   * told since it is so, in the order of their first time.
   */
  heard: AlertTerms[];
  changes: Moment[];
  flapping: { changes: number; readonly sinceMs: number } | null;
}

export interface SignalState {
  definition: SignalDefinition;
  sequence: number;
  newest: { readonly at: number; readonly strength: number } | null;
  /** How far the no-data clock has moved since the last reading, or since it was resumed. */
  silenceMs: number;
  tooWeak: Reason | null;
  silent: Reason | null;
  /** By rule id. */
  readonly watches: Map<string, Watch>;
  /** How many alerts each rule has begun. */
  readonly begun: Map<string, number>;
  /** Of a failed signal: its newest `signal.failed`. */
  failure: Telling | null;
}

export const newSignal = (definition: SignalDefinition): SignalState => ({
  definition,
  sequence: 0,
  newest: null,
  silenceMs: 0,
  tooWeak: null,
  silent: null,
  watches: new Map(),
  begun: new Map(),
  failure: null,
});

export const newWatch = (rule: Rule, limits: readonly LevelLimit[]): Watch => ({
  rule,
  limits,
  machines: limits.map(() => IDLE),
  past: [],
  movement: 0,
  closedSinceMs: null,
  alert: null,
  last: null,
  heard: [],
  changes: [],
  flapping: null,
});

/** What has an id, in the order of the ids. */
export const byId = <T>(map: ReadonlyMap<string, T>): T[] =>
  [...map].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
