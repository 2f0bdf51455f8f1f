import type { RuleId, SilenceId } from "../../../schemas/common.ts";
import type { SilenceDefinition } from "../../../schemas/silence.ts";
import { isOpen } from "./schedule.ts";
import { selects } from "./selection.ts";
import type { AlertState, SignalState } from "./state.ts";

interface Known {
  readonly revision: number;
  /** Null: deleted. */
  readonly silence: SilenceDefinition | null;
  /** Of `untilResolved`: the alerts that it silences, and no others ever. */
  readonly caught: ReadonlySet<AlertState>;
}

/** One until resolved begins at the record that brings it, whatever it says. */
const isActive = (silence: SilenceDefinition, recordMs: number): boolean => {
  const { from, until, schedule, untilResolved } = silence;
  if (untilResolved) return true;
  return (
    Date.parse(from) <= recordMs &&
    (until === null || recordMs < Date.parse(until)) &&
    isOpen(schedule, recordMs)
  );
};

const concerns = (silence: SilenceDefinition, signal: SignalState, ruleId: RuleId | null): boolean => {
  const { select, ruleIds } = silence;
  return (
    selects(select, signal.definition) && (ruleIds === null || (ruleId !== null && ruleIds.includes(ruleId)))
  );
};

export class Silences {
  readonly #known = new Map<string, Known>();

  /** False for a copy. `signals`: all there are, whose alerts may be caught. */
  bring(silence: SilenceDefinition, revision: number, signals: readonly SignalState[]): boolean {
    const firing = signals.flatMap((signal) =>
      [...signal.watches.values()].flatMap(({ rule, alert }) =>
        alert !== null && concerns(silence, signal, rule.id) ? [alert] : [],
      ),
    );
    const before = this.#known.get(silence.id);
    const isTaken = (alert: AlertState) => before === undefined || before.caught.has(alert);
    const caught = new Set(silence.untilResolved ? firing.filter(isTaken) : []);
    return this.#keep(silence.id, { revision, silence, caught });
  }

  delete(silenceId: SilenceId, revision: number): boolean {
    return this.#keep(silenceId, { revision, silence: null, caught: new Set() });
  }

  /** The smallest id of the silences that cover an alert now. */
  ofAlert(signal: SignalState, ruleId: RuleId, alert: AlertState, recordMs: number): SilenceId | undefined {
    return this.#smallest(recordMs, (silence, caught) =>
      silence.untilResolved
        ? caught.has(alert) && alert.resolved === null
        : concerns(silence, signal, ruleId),
    );
  }

  /** The same of those that cover the signal's own failure. */
  ofSignal(signal: SignalState, recordMs: number): SilenceId | undefined {
    return this.#smallest(recordMs, (silence) => !silence.untilResolved && concerns(silence, signal, null));
  }

  #smallest(
    recordMs: number,
    covers: (silence: SilenceDefinition, caught: Known["caught"]) => boolean,
  ): SilenceId | undefined {
    const [smallest] = [...this.#known.values()]
      .flatMap(({ silence, caught }) =>
        silence !== null && isActive(silence, recordMs) && covers(silence, caught) ? [silence.id] : [],
      )
      .sort();
    return smallest;
  }

  #keep(id: SilenceId, known: Known): boolean {
    const before = this.#known.get(id);
    if (before !== undefined && (before.silence === null || known.revision <= before.revision)) return false;
    this.#known.set(id, known);
    return true;
  }
}
