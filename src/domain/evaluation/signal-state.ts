import type { SignalDefinition } from "../../../schemas/change.ts";
import type { AccountId, Labels, RuleId, SignalId, SourceId } from "../../../schemas/common.ts";
import type { ChangeWindow } from "./change-window.ts";
import type { CompiledRule } from "./compiled-rule.ts";
import type { FeedRhythm } from "./feed-rhythm.ts";
import {
  changed,
  type HeldEvent,
  NOTHING,
  type Ongoing,
  type OwnCondition,
  type RuleCondition,
  type RuleFlaps,
} from "./ongoing.ts";
import {
  CREATED_AT,
  LAST_DATA,
  NEWEST_AT,
  quietBounds,
  type SignalRows,
  STRENGTH,
  UPDATED_AT,
} from "./signal-rows.ts";
import type { SourceFlow } from "./source-flows.ts";

/** A time that is not set: Unix ms in the state are never negative. */
export const NEVER = -1;

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

/** What evaluation knows of one signal. */
export class SignalState {
  readonly slot: number;
  readonly id: SignalId;
  settings: SignalSettings;
  labels = NO_LABELS;
  name = "";
  externalId: string | null = null;
  revision = 0;
  rules: readonly CompiledRule[] = NO_RULES;
  sequence = 0;
  #ongoing = NOTHING;
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

  get createdAt(): number {
    return this.#rows.timeAt(this.slot, CREATED_AT);
  }
  set createdAt(value: number) {
    this.#rows.setTime(this.slot, CREATED_AT, value);
  }

  get updatedAt(): number {
    return this.#rows.timeAt(this.slot, UPDATED_AT);
  }
  set updatedAt(value: number) {
    this.#rows.setTime(this.slot, UPDATED_AT, value);
  }

  get conditions(): readonly RuleCondition[] {
    return this.#ongoing.conditions;
  }
  get flaps(): readonly RuleFlaps[] {
    return this.#ongoing.flaps;
  }
  get belowThreshold(): OwnCondition | null {
    return this.#ongoing.belowThreshold;
  }
  get noData(): OwnCondition | null {
    return this.#ongoing.noData;
  }
  get windows(): Map<RuleId, ChangeWindow> | null {
    return this.#ongoing.windows;
  }
  get rhythm(): FeedRhythm | null {
    return this.#ongoing.rhythm;
  }
  get heldFailure(): HeldEvent | null {
    return this.#ongoing.heldFailure;
  }

  /** Some of what goes on at it becomes another. */
  change(part: Partial<Ongoing>): void {
    this.#ongoing = changed(this.#ongoing, part);
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
    const busy = this.waits || this.belowThreshold !== null || this.noData !== null;
    if (busy || paused) return;
    const bounds = quietBounds(this.rules, this.settings);
    if (bounds !== null) this.#rows.settle(this.slot, bounds);
  }
}
