import type { SignalDefinition } from "../../../schemas/change.ts";
import type { Rule } from "../../../schemas/rule.ts";
import type { Slices } from "../evaluation/pace.ts";
import { type LineView, SIGNAL_ID_LENGTH } from "../reading-line.ts";
import { Findings } from "./findings.ts";
import { COSTS, lineSlices } from "./line-slices.ts";
import { TriedSignal } from "./tried-signal.ts";

const decoder = new TextDecoder();
const NO_ID = new Uint8Array(SIGNAL_ID_LENGTH);

export interface BacktestOptions {
  readonly rule: Rule;
  /** The signals that it looks at, by their ids. */
  readonly signals: ReadonlyMap<string, SignalDefinition>;
  /** Where the past ends, Unix ms: what waits is over if it is due before. */
  readonly toMs: number;
}

/** One rule over the readings of many signals, one signal after the other, by the evaluator itself. */
export class Backtest {
  readonly findings: Findings;
  readonly #options: BacktestOptions;
  #id: Uint8Array = NO_ID;
  #signal: TriedSignal | null = null;

  constructor(options: BacktestOptions) {
    this.#options = options;
    this.findings = new Findings(options.rule);
  }

  /** Whole lines, in the order of signal ids and times. */
  lines(block: Uint8Array): Slices {
    return lineSlices(
      block,
      (bytes, view) => this.#line(bytes, view),
      () => {
        this.findings.refused++;
      },
    );
  }

  /** After the last line. `isWhole` false: what else the signal's readings are is not known. */
  finish(isWhole = true): void {
    this.#signal?.finish(isWhole ? this.#options.toMs : null);
    this.#signal = null;
    this.#id = NO_ID;
  }

  #line(block: Uint8Array, { start, end, atMs }: LineView): number {
    if (!this.#isSameSignal(block, start)) this.#begin(block.slice(start, start + SIGNAL_ID_LENGTH));
    const { events } = this.findings;
    this.#signal?.read(block.subarray(start, end), atMs);
    return COSTS.reading + COSTS.event * (this.findings.events - events);
  }

  #isSameSignal(block: Uint8Array, start: number): boolean {
    for (let i = SIGNAL_ID_LENGTH - 1; i >= 0; i--) if (block[start + i] !== this.#id[i]) return false;
    return true;
  }

  #begin(id: Uint8Array): void {
    this.finish();
    const definition = this.#options.signals.get(decoder.decode(id));
    if (definition === undefined) throw new RangeError("a reading of a signal that was not asked for");
    this.#id = id;
    this.#signal = new TriedSignal(definition, this.#options.rule, this.findings);
  }
}
