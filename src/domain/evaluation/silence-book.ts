import type { AccountId, RuleId, SilenceId } from "../../../schemas/common.ts";
import type { SilenceDefinition } from "../../../schemas/silence.ts";
import { CompiledSchedule } from "../schedule.ts";
import { type Selectable, Selector } from "./selector.ts";

/** A silence made ready for asking. Never changed: a new revision is a new one. */
export interface CompiledSilence {
  readonly accountId: AccountId;
  readonly revision: number;
  readonly silence: SilenceDefinition;
  readonly fromMs: number;
  /** Infinity: for ever. */
  readonly untilMs: number;
  readonly schedule: CompiledSchedule | null;
  readonly selector: Selector;
  readonly ruleIds: ReadonlySet<string> | null;
}

export const compileSilence = (
  accountId: AccountId,
  revision: number,
  silence: SilenceDefinition,
): CompiledSilence => ({
  accountId,
  revision,
  silence,
  fromMs: Date.parse(silence.from),
  untilMs: silence.until === null ? Number.POSITIVE_INFINITY : Date.parse(silence.until),
  schedule: silence.schedule === null ? null : new CompiledSchedule(silence.schedule),
  selector: new Selector(silence.select),
  ruleIds: silence.ruleIds === null ? null : new Set(silence.ruleIds),
});

/** What a silence looks at of a signal. */
export interface Silenceable extends Selectable {
  readonly accountId: AccountId;
}

/** Whether it would silence a rule's alerts on the signal; `ruleId` null: the signal's own failure. */
export const covers = (
  { accountId, selector, ruleIds }: CompiledSilence,
  signal: Silenceable,
  ruleId: RuleId | null,
): boolean => {
  if (accountId !== signal.accountId) return false;
  if (ruleIds !== null && (ruleId === null || !ruleIds.has(ruleId))) return false;
  return selector.takes(signal);
};

/** Of one that lasts until alerts resolve, the alerts know themselves: its time says nothing. */
const isActive = ({ silence, fromMs, untilMs, schedule }: CompiledSilence, ms: number): boolean =>
  !silence.untilResolved && fromMs <= ms && ms < untilMs && (schedule?.isOpen(ms) ?? true);

const nextChange = (one: CompiledSilence, ms: number): number => {
  const { silence, fromMs, untilMs, schedule } = one;
  if (silence.untilResolved || ms >= untilMs) return Number.POSITIVE_INFINITY;
  if (ms < fromMs) return fromMs;
  return Math.min(untilMs, schedule?.nextChange(ms) ?? Number.POSITIVE_INFINITY);
};

/** The silences of all accounts, and which of them are active at the time of the partition's newest record. */
export class SilenceBook {
  readonly #byId = new Map<SilenceId, CompiledSilence>();
  /** In the order of their ids. */
  #active: readonly CompiledSilence[] = [];
  /** The moment at which one of them may begin or end; infinity: none will. */
  nextChangeMs = Number.POSITIVE_INFINITY;

  get(id: SilenceId): CompiledSilence | undefined {
    return this.#byId.get(id);
  }

  /** `nowMs`: the append time of the partition's newest record. */
  set(compiled: CompiledSilence, nowMs: number): void {
    this.#byId.set(compiled.silence.id, compiled);
    this.advance(nowMs);
  }

  delete(id: SilenceId, nowMs: number): void {
    if (this.#byId.delete(id)) this.advance(nowMs);
  }

  all(): CompiledSilence[] {
    return [...this.#byId.values()];
  }

  /** Time has come to `ms`. */
  advance(ms: number): void {
    const all = this.all();
    this.#active = all
      .filter((one) => isActive(one, ms))
      .sort((a, b) => (a.silence.id < b.silence.id ? -1 : 1));
    this.nextChangeMs = Math.min(...all.map((one) => nextChange(one, ms)), Number.POSITIVE_INFINITY);
  }

  /** The first of the active silences that covers a rule's alerts on a signal, or, of `ruleId` null, its own failure. */
  covering(signal: Silenceable, ruleId: RuleId | null): SilenceId | null {
    return this.#active.find((one) => covers(one, signal, ruleId))?.silence.id ?? null;
  }
}
