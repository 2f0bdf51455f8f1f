import type { Change, SignalDefinition } from "../../../schemas/change.ts";
import { SilenceId } from "../../../schemas/common.ts";
import { SilenceCreate, SilenceDefinition } from "../../../schemas/silence.ts";
import { accountId, ruleChange, ruleId, START_MS, signalChange, signalId, sourceId } from "../partition.ts";
import { ReferenceAccount } from "./account.ts";
import { iso, type ToldEvent } from "./told.ts";

type RuleSettings = Parameters<typeof ruleChange>[1];
type SilenceSettings = Partial<Omit<typeof SilenceCreate._zod.input, "from" | "until">> & {
  readonly fromMs?: number;
  readonly untilMs?: number | null;
};

/** The n-th silence; ids sort as their numbers do. */
export const silenceId = (n: number): SilenceId => SilenceId.parse(signalId(n).replace("sig_", "sil_"));

/** A silence of everything, for ever or until a time in Unix ms. */
export const silence = (n: number, { fromMs = 0, untilMs = null, ...settings }: SilenceSettings) => {
  const create = SilenceCreate.parse({ reason: "night work", ...settings });
  return SilenceDefinition.parse({
    ...create,
    id: silenceId(n),
    from: iso(fromMs),
    until: untilMs === null ? null : iso(untilMs),
  });
};

/** Records appended by hand to the reference, as `TestPartition` does to the evaluator. */
export class ReferenceHistory {
  readonly account = new ReferenceAccount();
  now = START_MS;
  #revision = 1;
  #told = 0;

  after(ms: number): this {
    this.now += ms;
    return this;
  }

  at(time: string): this {
    this.now = Date.parse(time);
    return this;
  }

  change(change: Change): this {
    this.account.apply({ kind: "change", appendedAt: this.now, change });
    return this;
  }

  signal(n: number, overrides: Partial<SignalDefinition> = {}): this {
    return this.change(signalChange(n, { ...overrides, revision: ++this.#revision }));
  }

  rule(n: number, settings: RuleSettings = {}): this {
    return this.change(ruleChange(n, settings, ++this.#revision));
  }

  deleteRule(n: number): this {
    const revision = ++this.#revision;
    return this.change({ type: "ruleDeleted", accountId: accountId(1), revision, ruleId: ruleId(n) });
  }

  silence(n: number, settings: SilenceSettings = {}): this {
    const revision = ++this.#revision;
    return this.change({ type: "silence", accountId: accountId(1), revision, silence: silence(n, settings) });
  }

  deleteSilence(n: number): this {
    const revision = ++this.#revision;
    return this.change({
      type: "silenceDeleted",
      accountId: accountId(1),
      revision,
      silenceId: silenceId(n),
    });
  }

  holdSource(n: number, paused: boolean): this {
    return this.change({ type: "sourceFlow", sourceId: sourceId(n), paused });
  }

  acknowledge(rule: number, signal: number, nth = 1): this {
    const of = { ruleId: ruleId(rule), signalId: signalId(signal), nth };
    const acknowledged = { of, at: this.now, by: "key", note: null };
    this.account.apply({ kind: "acknowledged", appendedAt: this.now, acknowledged });
    return this;
  }

  /** A reading of a signal; its own time is the append time unless given. */
  read(n: number, strength: number, at = this.now): this {
    this.account.apply({
      kind: "readings",
      appendedAt: this.now,
      readings: [[signalId(n), at, strength]],
    });
    return this;
  }

  /** Readings of signal 1, a second apart. */
  strengths(...strengths: readonly number[]): this {
    for (const strength of strengths) this.after(1_000).read(1, strength);
    return this;
  }

  ticks(seconds: number): this {
    for (let i = 0; i < seconds; i++) this.after(1_000).account.apply({ kind: "tick", appendedAt: this.now });
    return this;
  }

  /** The events since the last call. */
  news(): ToldEvent[] {
    const fresh = this.account.events.slice(this.#told);
    this.#told = this.account.events.length;
    return fresh;
  }

  /** Their kinds, with a mark at what is delivered to nobody. */
  kinds(): string[] {
    return this.news().map(({ event, data }) => {
      const silenced = data.silencedBy === undefined ? "" : " (silenced)";
      const held = data.heldBy === undefined ? "" : " (held)";
      const again = data.alert?.repeatOf === undefined && data.repeatOf === undefined ? "" : " again";
      return `${event}${again}${silenced}${held}`;
    });
  }
}
