import type { SignalDefinition } from "../../../schemas/change.ts";
import type { Rule } from "../../../schemas/rule.ts";
import { RuleTemplate } from "../evaluation/compiled-rule.ts";
import type { Findings } from "./findings.ts";
import { Firings } from "./firings.ts";
import { FlapCounter } from "./flaps.ts";
import { PastSignal } from "./past-signal.ts";

/** One signal of a backtest, from its first reading to its last. */
export class TriedSignal {
  readonly #definition: SignalDefinition;
  readonly #findings: Findings;
  readonly #past: PastSignal;
  readonly #firings: Firings;
  readonly #flaps = new FlapCounter();
  #firstMs = Number.NaN;
  #lastMs = Number.NaN;

  constructor(definition: SignalDefinition, rule: Rule, findings: Findings) {
    this.#definition = definition;
    this.#findings = findings;
    this.#firings = new Firings(
      new RuleTemplate(definition.accountId, 1, rule).for(definition),
      (firing) => findings.add(definition.id, firing, this.#firstMs),
      (atMs) => this.#flaps.add(atMs),
    );
    this.#past = new PastSignal(definition, [rule], {
      event: (event) => {
        findings.events++;
        this.#firings.event(event);
      },
      refused: () => {
        findings.refused++;
      },
    });
    findings.read++;
  }

  read(line: Uint8Array, atMs: number): void {
    this.#findings.readings++;
    if (atMs === this.#lastMs) this.#findings.sameTime++;
    if (Number.isNaN(this.#firstMs)) this.#firstMs = atMs;
    this.#lastMs = atMs;
    this.#past.read(line, atMs);
    if (this.#firings.isOpen) this.#firings.see(this.#past.value);
  }

  /** What waits is over if it is due before `toMs`; null: what comes behind the last reading is not known. */
  finish(toMs: number | null): void {
    if (toMs !== null) this.#past.passTo(toMs);
    this.#firings.finish();
    this.#findings.addSignal(this.#definition.id, this.#flaps);
  }
}
