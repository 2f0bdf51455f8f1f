import { linePrefix, writeLine } from "../src/domain/line-writer.ts";
import { BLOCK_LINES_MAX, LINE_BYTES_MAX } from "../src/domain/reading-line.ts";
import { changeRecord } from "../src/domain/records.ts";
import type { EventLog, NewRecord } from "../src/ports/event-log.ts";
import { ACCOUNT, ruleOf, signalId, signalOf } from "./definitions.ts";

export interface Filling {
  readonly signals: number;
  readonly rules: number;
  readonly readings: number;
}

const AT_ONCE = 16;
/** Signals send in turn; so long after its turn each sends again. */
const ROUND_MS = 1;

/** Puts definitions of signals and rules into partition 0 of `readings`, and full blocks as ingest makes them. */
export const fillLog = async (log: EventLog, { signals, rules, readings }: Filling): Promise<void> => {
  const definitions = [
    ...Array.from({ length: rules }, (_, of) =>
      changeRecord({ type: "rule", accountId: ACCOUNT, revision: 1, rule: ruleOf(of) }, 0),
    ),
    ...Array.from({ length: signals }, (_, of) => changeRecord({ type: "signal", signal: signalOf(of) }, 0)),
  ];
  for (let at = 0; at < definitions.length; at += 1_000)
    await log.append("readings", definitions.slice(at, at + 1_000));
  const prefixes = Array.from({ length: signals }, (_, of) => linePrefix(signalId(of)));
  const startMs = Date.now() - Math.ceil(readings / signals) * ROUND_MS;
  const buffers = Array.from({ length: AT_ONCE }, () => new Uint8Array(BLOCK_LINES_MAX * LINE_BYTES_MAX));
  const block = (buffer: Uint8Array, first: number): NewRecord => {
    let end = 0;
    for (let reading = first; reading < Math.min(first + BLOCK_LINES_MAX, readings); reading++) {
      const [signal, round] = [reading % signals, Math.floor(reading / signals)];
      const strength = -40 - ((signal * 7 + round * 13) % 90) / 10;
      end = writeLine(buffer, end, prefixes[signal] ?? buffer, startMs + round * ROUND_MS, strength);
    }
    return { partition: 0, value: buffer.subarray(0, end) };
  };
  for (let done = 0; done < readings; done += AT_ONCE * BLOCK_LINES_MAX) {
    const firsts = buffers.map((_, at) => done + at * BLOCK_LINES_MAX).filter((first) => first < readings);
    await log.append(
      "readings",
      buffers.slice(0, firsts.length).map((buffer, at) => block(buffer, firsts[at] ?? 0)),
    );
  }
};
