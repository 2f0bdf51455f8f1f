import type { Acknowledgement, AlertTerms, ResolveReason } from "../../../schemas/alert.ts";
import type { SignalDefinition } from "../../../schemas/change.ts";
import type {
  AccountId,
  AlertId,
  EventId,
  Labels,
  RuleId,
  SignalId,
  SilenceId,
  SourceId,
} from "../../../schemas/common.ts";
import type { Severity } from "../../../schemas/condition.ts";
import type { ChangeWindow } from "./change-window.ts";
import type { CompiledRule } from "./compiled-rule.ts";
import type { FeedRhythm } from "./feed-rhythm.ts";
import { LAST_DATA, NEWEST_AT, quietBounds, type SignalRows, STRENGTH } from "./signal-rows.ts";
import type { SourceFlow } from "./source-flows.ts";

/** A time that is not set: Unix ms in the state are never negative. */
export const NEVER = -1;

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

/** What control data says of a signal and, in the same words, of many others: they have one object for it. */
export type SignalSettings = Readonly<
  Pick<
    SignalDefinition,
    | "accountId"
    | "sourceId"
    | "threshold"
    | "floorDbm"
    | "ceilingDbm"
    | "hysteresis"
    | "noDataAfterSeconds"
    | "paused"
  >
>;

const NO_LABELS: Labels = {};
const NO_RULES: readonly CompiledRule[] = [];
const NO_CONDITIONS: readonly RuleCondition[] = [];
const NO_FLAPS: readonly RuleFlaps[] = [];

/** What evaluation knows of one signal. */
export class SignalState {
  readonly slot: number;
  readonly id: SignalId;
  settings: SignalSettings;
  labels = NO_LABELS;
  name = "";
  externalId: string | null = null;
  revision = 0;
  createdAt = 0;
  updatedAt = 0;
  rules: readonly CompiledRule[] = NO_RULES;
  /** In rule order; replaced, not changed, when one starts or ends. */
  conditions: readonly RuleCondition[] = NO_CONDITIONS;
  /** In rule order; replaced likewise. */
  flaps: readonly RuleFlaps[] = NO_FLAPS;
  /** Of rules on change; null: none has looked yet. */
  windows: Map<RuleId, ChangeWindow> | null = null;
  /** Of one whose no-data interval is learned; null: nothing has been learned yet. */
  rhythm: FeedRhythm | null = null;
  /** Its newest failure, if the event of it was held back. */
  heldFailure: HeldEvent | null = null;
  sequence = 0;
  thresholdSinceMs = NEVER;
  thresholdValue = Number.NaN;
  noDataSinceMs = NEVER;
  noDataValue = Number.NaN;
  /** The run of the snapshot that has this signal already. */
  imagedBy = 0;

  readonly #rows: SignalRows;

  constructor(slot: number, id: SignalId, settings: SignalSettings, rows: SignalRows) {
    this.slot = slot;
    this.id = id;
    this.settings = settings;
    this.#rows = rows;
    rows.begin(slot);
    this.newestAtMs = NEVER;
    this.strength = Number.NaN;
    this.lastDataMs = NEVER;
  }

  get accountId(): AccountId {
    return this.settings.accountId;
  }

  get sourceId(): SourceId | null {
    return this.settings.sourceId;
  }

  /** All that control data says of it, made for whoever asks. */
  get definition(): SignalDefinition {
    const { id, revision, name, externalId, labels, createdAt, updatedAt, settings } = this;
    return { id, revision, name, externalId, labels, createdAt, updatedAt, ...settings };
  }

  get newestAtMs(): number {
    return this.#rows.get(this.slot, NEWEST_AT);
  }
  set newestAtMs(value: number) {
    this.#rows.set(this.slot, NEWEST_AT, value);
  }

  get strength(): number {
    return this.#rows.get(this.slot, STRENGTH);
  }
  set strength(value: number) {
    this.#rows.set(this.slot, STRENGTH, value);
  }

  /** Its source's; null: it has none. */
  get flow(): SourceFlow | null {
    return this.#rows.flowAt(this.slot);
  }
  set flow(value: SourceFlow | null) {
    this.#rows.setFlow(this.slot, value);
  }

  /** When the last reading came, by the no-data clock of its source. */
  get lastDataMs(): number {
    return this.#rows.get(this.slot, LAST_DATA);
  }
  set lastDataMs(value: number) {
    this.#rows.set(this.slot, LAST_DATA, value);
  }

  /** Whether time alone may change something of its rules. */
  get waits(): boolean {
    return this.conditions.length > 0 || this.flaps.length > 0;
  }

  /** Its next reading is looked at in full: to be called before anything else of it changes. */
  rouse(): void {
    this.#rows.rouse(this.slot);
  }

  /** Where nothing holds or waits, readings within the bounds of all its limits need only be remembered. */
  settle(): void {
    const { paused, noDataAfterSeconds } = this.settings;
    // A rhythm is learned of every reading.
    if (noDataAfterSeconds === "auto") return;
    const busy = this.waits || this.thresholdSinceMs !== NEVER || this.noDataSinceMs !== NEVER;
    if (busy || paused) return;
    const bounds = quietBounds(this.rules, this.settings);
    if (bounds !== null) this.#rows.settle(this.slot, bounds);
  }
}
