import type { SignalDefinition } from "../../../schemas/change.ts";
import type { AlertId } from "../../../schemas/common.ts";
import type { CompiledRule } from "./rule-book.ts";
import { LAST_DATA, NEWEST_AT, quietBounds, type SignalRows, STRENGTH } from "./signal-rows.ts";
import type { SourceFlow } from "./source-flows.ts";

/** A time that is not set: Unix ms in the state are never negative. */
export const NEVER = -1;

/** A rule that is not idle on a signal; clearing is still firing, until `keepFiringForSeconds` are over. */
export interface RuleCondition {
  rule: CompiledRule;
  phase: "pending" | "firing" | "clearing";
  /** The reading that began a pending or clearing phase, by both clocks. */
  atMs: number;
  recordMs: number;
  /** Null while pending. */
  alertId: AlertId | null;
  firedAtMs: number;
  value: number;
  limit: number;
}

const NO_RULES: readonly CompiledRule[] = [];
const NO_CONDITIONS: readonly RuleCondition[] = [];

/** What evaluation knows of one signal. */
export class SignalState {
  readonly slot: number;
  definition: SignalDefinition;
  rules: readonly CompiledRule[] = NO_RULES;
  /** In rule order; replaced, not changed, when one starts or ends. */
  conditions: readonly RuleCondition[] = NO_CONDITIONS;
  sequence = 0;
  thresholdSinceMs = NEVER;
  thresholdValue = Number.NaN;
  noDataSinceMs = NEVER;
  noDataValue = Number.NaN;
  /** The run of the snapshot that has this signal already. */
  imagedBy = 0;

  readonly #rows: SignalRows;

  constructor(slot: number, definition: SignalDefinition, rows: SignalRows) {
    this.slot = slot;
    this.definition = definition;
    this.#rows = rows;
    rows.begin(slot);
    this.newestAtMs = NEVER;
    this.strength = Number.NaN;
    this.lastDataMs = NEVER;
  }

  get id(): string {
    return this.definition.id;
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

  /** Its next reading is looked at in full: to be called before anything else of it changes. */
  rouse(): void {
    this.#rows.rouse(this.slot);
  }

  /** Where nothing holds or waits, readings within the bounds of all its limits need only be remembered. */
  settle(): void {
    const { paused, threshold, floorDbm, ceilingDbm } = this.definition;
    const busy =
      this.conditions.length > 0 || this.thresholdSinceMs !== NEVER || this.noDataSinceMs !== NEVER;
    if (busy || paused) return;
    const bounds = quietBounds(this.rules, threshold);
    if (bounds !== null) this.#rows.settle(this.slot, { ...bounds, floorDbm, ceilingDbm });
  }
}
