import { nameOf, READINGS_PER_FRAME, type Sender, type Sent } from "./feed.ts";
import type { Rounds } from "./rounds.ts";
import { SIGNALS_PER_SOURCE } from "./trial.ts";

/** What became of the readings that were sent; all of them numbers of readings. */
export interface Fates {
  /** Not in the log. */
  lost: number;
  /** Lost, or there after one that is lost, though no connection's end explains it. */
  unexplained: number;
  /** More than once in the log, having come by several connections. */
  acceptedTwice: number;
  /** More than once in the log, having come by one. */
  appendedTwice: number;
}

/**
 * A connection that ends takes with it the last of what was sent to it, signal by signal: nothing of a signal that came
 * by it alone may be there after what is not. One that has not ended takes nothing.
 */
const followSignal = (
  sender: Sender,
  signal: number,
  timesOf: (round: number) => number,
  fates: Fates,
): void => {
  const cut = new Set<Readonly<Sent>>();
  for (let round = 0; ; round++) {
    const reading = round * SIGNALS_PER_SOURCE + signal;
    if (reading >= sender.readingsSent) return;
    const frame = Math.floor(reading / READINGS_PER_FRAME);
    const ways = sender.sent.filter(({ first, last }) => first <= frame && frame <= last);
    const times = timesOf(round);
    if (times > 0) {
      if (ways.every((way) => cut.has(way))) fates.unexplained++;
      fates[ways.length > 1 ? "acceptedTwice" : "appendedTwice"] += times - 1;
      continue;
    }
    fates.lost++;
    if (ways.some(({ ended }) => !ended)) fates.unexplained++;
    for (const way of ways) cut.add(way);
  }
};

/** `ids`: of the signals, by the names that feeds give them. */
export const fatesOf = (
  senders: readonly Sender[],
  rounds: Rounds,
  ids: ReadonlyMap<string, string>,
): Fates => {
  const fates = { lost: 0, unexplained: 0, acceptedTwice: 0, appendedTwice: 0 };
  for (const sender of senders)
    for (let signal = 0; signal < SIGNALS_PER_SOURCE; signal++) {
      const id = ids.get(nameOf(sender.source, signal)) ?? "";
      followSignal(sender, signal, (round) => rounds.times(id, round), fates);
    }
  return fates;
};
