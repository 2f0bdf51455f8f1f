import { PartitionEvaluation } from "../src/domain/evaluation/evaluation.ts";
import { ulid } from "../src/domain/ids.ts";
import { readingLine } from "../src/domain/reading-line.ts";
import { changeRecord, type OutgoingRecord } from "../src/domain/records.ts";
import { ACCOUNT, MADE_AT_MS, ruleOf, signalId, signalOf } from "./definitions.ts";

export interface FoldParameters {
  readonly signals: number;
  readonly rules: number;
  readonly readings: number;
  readonly linesPerBlock: number;
  /** Of a thousand readings, how many are below the limits of every rule. */
  readonly badPerThousand: number;
}

/** What a fold came to: seconds of CPU for all readings, and bytes for each signal once all have been read. */
export interface FoldResult {
  readonly cpuSeconds: number;
  readonly bytesPerSignal: number;
  readonly events: number;
}

const LOG_ID = ulid(MADE_AT_MS, new Uint8Array(10));

/** Heap and what stands outside of it, once all that is not needed is gone: buffers go with the collection after. */
const heldBytes = (): number => {
  for (let round = 0; round < 3; round++) globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
};

/** One partition, folded as the worker does it: first what there is, then readings, signal after signal. */
const fold = ({ signals, rules, readings, linesPerBlock, badPerThousand }: FoldParameters): FoldResult => {
  const evaluation = new PartitionEvaluation({ logId: LOG_ID, partition: 0, partitions: 1 });
  const ids = Array.from({ length: signals }, (_, of) => signalId(of));
  let [offset, events, reading] = [0, 0, 0];
  const sink = {
    event: () => {
      events++;
    },
    deadLetter: () => {
      throw new Error("a dead letter in a bench");
    },
    probeAnswer: () => undefined,
    pendingAnswer: () => undefined,
  };
  const apply = ({ headers = {}, value }: OutgoingRecord, appendedAt: number) =>
    evaluation.apply({ partition: 0, offset: offset++, appendedAt, key: null, headers, value }, sink);

  const block = (): OutgoingRecord => {
    const lines = Array.from({ length: linesPerBlock }, () => {
      const at = MADE_AT_MS + Math.floor(reading / signals) * 1_000;
      const round = Math.floor(reading / signals);
      // Which signals are bad moves on with every round.
      const isBad = (reading * 7 + round) % 1_000 < badPerThousand;
      const strength = isBad ? -120 : -60 - (reading % 20);
      return readingLine(ids[reading++ % signals] ?? "", at, strength);
    });
    return { value: new TextEncoder().encode(lines.join("")) };
  };

  for (let of = 0; of < rules; of++) {
    const change = { type: "rule" as const, accountId: ACCOUNT, revision: 1, rule: ruleOf(of) };
    apply(changeRecord(change, 0), MADE_AT_MS);
  }
  const before = heldBytes();
  for (let of = 0; of < signals; of++)
    apply(changeRecord({ type: "signal", signal: signalOf(of) }, 0), MADE_AT_MS);
  let cpuMicros = 0;
  for (let done = 0; done < readings; done += linesPerBlock) {
    const record = block();
    const from = process.cpuUsage();
    apply(record, MADE_AT_MS + Math.floor(done / signals) * 1_000);
    const used = process.cpuUsage(from);
    cpuMicros += used.user + used.system;
  }
  const bytesPerSignal = Math.round((heldBytes() - before) / signals);
  return { cpuSeconds: cpuMicros / 1e6, bytesPerSignal, events };
};

process.once("message", (parameters: FoldParameters) => {
  process.send?.(fold(parameters));
});
