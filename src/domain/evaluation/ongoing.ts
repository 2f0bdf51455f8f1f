import type { Acknowledgement, AlertTerms, ResolveReason } from "../../../schemas/alert.ts";
import type { AlertId, EventId, RuleId, SilenceId } from "../../../schemas/common.ts";
import type { Severity } from "../../../schemas/condition.ts";
import type { ChangeWindow } from "./change-window.ts";
import type { CompiledRule } from "./compiled-rule.ts";
import type { FeedRhythm } from "./feed-rhythm.ts";

/** Why an event is delivered to nobody: one of the two, or both. */
export interface Hush {
  readonly silencedBy?: SilenceId | undefined;
  readonly heldBy?: "flapping" | undefined;
}

/** An event that was held back, and why. */
export interface HeldEvent {
  readonly event: EventId;
  readonly by: Hush;
}

/** Where one level of a rule stands on a signal; clearing is still firing, until `keepFiringForSeconds` are over. */
export interface LevelState {
  phase: "idle" | "pending" | "firing" | "clearing";
  /** The reading that began a pending or clearing phase, by both clocks. */
  atMs: number;
  recordMs: number;
}

/** A rule that is not idle on a signal: an alert, or what may become one. */
export interface RuleCondition {
  rule: CompiledRule;
  /** As many as the rule has. */
  readonly levels: readonly LevelState[];
  /** Null only where an older program left it pending. */
  alertId: AlertId | null;
  /** The level whose severity the alert has; -1: it is pending. */
  level: number;
  firedAtMs: number;
  /** When it fired, or took its severity. */
  value: number;
  /** Of a rule on no data: how long the silence was that is over; null: it goes on. */
  silenceSeconds: number | null;
  limit: number;
  /** Of a band: it was the upper end. */
  crossedUpper: boolean;
  acknowledged: Acknowledgement | null;
  /** Under which terms those who hear of the rule were told last that it fires; none: nobody was. */
  told: readonly AlertTerms[];
  /** Its newest firing event, if that was held back, and why. */
  held: HeldEvent | null;
  /** The silences that last until it resolves, by their ids. */
  silencedBy: readonly SilenceId[];
}

/** When a rule changed on a signal, and how often. Never changed: another change is another one. */
export interface RuleFlaps {
  readonly rule: CompiledRule;
  /** The newest seven, oldest first. */
  readonly changes: readonly FlapChange[];
  /** All since it began to flap; 0: it does not. */
  readonly flapping: number;
  /** Of these, the first by append time. */
  readonly sinceMs: number;
  /** The alert that ended last: the one that fires again while it flaps. */
  readonly ended: EndedAlert | null;
  /** Under which terms those who hear of the rule were told last that it fires; none: nobody was. */
  readonly told: readonly AlertTerms[];
}
/** By both clocks. */
export interface FlapChange {
  readonly atMs: number;
  readonly recordMs: number;
}
/** What is left of an alert that has resolved. */
export interface EndedAlert {
  readonly id: AlertId;
  readonly severity: Severity;
  readonly firedAtMs: number;
  readonly resolvedAtMs: number;
  readonly resolveReason: ResolveReason;
  readonly value: number;
  readonly limit: number;
  readonly acknowledged: Acknowledgement | null;
}

/** A condition of the signal's own. */
export interface OwnCondition {
  readonly sinceMs: number;
  /** When it began: quality, or seconds of silence. */
  readonly value: number;
}

/** What goes on at a signal. Never changed: what comes next is another one. */
export interface Ongoing {
  /** In rule order. */
  readonly conditions: readonly RuleCondition[];
  /** In rule order. */
  readonly flaps: readonly RuleFlaps[];
  /** Null: its quality is not below its threshold. */
  readonly belowThreshold: OwnCondition | null;
  /** Null: it is not known to be silent for too long. */
  readonly noData: OwnCondition | null;
  /** Of rules on change; null: none has looked yet. */
  readonly windows: Map<RuleId, ChangeWindow> | null;
  /** Of one whose no-data interval is learned; null: nothing has been learned yet. */
  readonly rhythm: FeedRhythm | null;
  /** Its newest failure, if the event of it was held back. */
  readonly heldFailure: HeldEvent | null;
}

/** Of most signals, nearly always: one for all of them, so that it takes no room. */
export const NOTHING: Ongoing = {
  conditions: [],
  flaps: [],
  belowThreshold: null,
  noData: null,
  windows: null,
  rhythm: null,
  heldFailure: null,
};

const isNothing = (all: Ongoing): boolean => {
  if (all.conditions.length > 0 || all.flaps.length > 0) return false;
  if (all.belowThreshold !== null || all.noData !== null) return false;
  return all.windows === null && all.rhythm === null && all.heldFailure === null;
};

/** What goes on once a part of it is another one. */
export const changed = (before: Ongoing, part: Partial<Ongoing>): Ongoing => {
  const after = { ...before, ...part };
  return isNothing(after) ? NOTHING : after;
};
