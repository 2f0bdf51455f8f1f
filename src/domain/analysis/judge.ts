import { SignalDefinition } from "../../../schemas/change.ts";
import type { SignalServiceEvent } from "../../../schemas/event.ts";
import { PartitionEvaluation } from "../evaluation/evaluation.ts";
import type { EvaluationSink } from "../evaluation/sink.ts";
import type { LogRecord } from "../log-record.ts";
import { BLOCK_LINES_MAX, readingLine } from "../reading-line.ts";
import { changeRecord, type OutgoingRecord } from "../records.ts";
import type { StatusChange } from "./failures.ts";
import type { TimedStrength } from "./statistics.ts";

/** What decides whether a reading fails a signal. */
export interface OwnLimits {
  readonly threshold: number;
  readonly hysteresis: number;
  readonly floorDbm: number;
  readonly ceilingDbm: number;
}

/** Readings as records of a log, made once and judged under as many settings as one likes. */
export interface ReadingLog {
  readonly blocks: readonly { readonly atMs: number; readonly value: Uint8Array }[];
}

const NOWHERE = { logId: "00000000000000000000000000", partition: 0, partitions: 1 };
const ULID = NOWHERE.logId;
const SIGNAL_ID = `sig_${ULID}`;
const encoder = new TextEncoder();

/** Of readings in order of time. Their own time is also when the log is taken to have had them. */
export const readingLog = (readings: readonly TimedStrength[]): ReadingLog => {
  const blocks: { atMs: number; value: Uint8Array }[] = [];
  for (let from = 0; from < readings.length; from += BLOCK_LINES_MAX) {
    const block = readings.slice(from, from + BLOCK_LINES_MAX);
    const lines = block.map(({ atMs, strength }) => readingLine(SIGNAL_ID, atMs, strength));
    blocks.push({ atMs: block.at(-1)?.atMs ?? 0, value: encoder.encode(lines.join("")) });
  }
  return { blocks };
};

const definitionOf = (limits: OwnLimits): SignalDefinition =>
  SignalDefinition.parse({
    ...limits,
    id: SIGNAL_ID,
    accountId: `acc_${ULID}`,
    revision: 1,
    name: "",
    externalId: null,
    labels: {},
    noDataAfterSeconds: null,
    paused: false,
    sourceId: null,
    createdAt: 0,
    updatedAt: 0,
  });

/** The signal in an event carries the time of the reading that caused it. */
const changeOf = ({ event, data }: SignalServiceEvent): StatusChange[] => {
  const recovered = event === "signal.updated" && data.previous?.status === "failed";
  if (event !== "signal.failed" && !recovered) return [];
  const at = data.signal?.lastReadingAt;
  return at === null || at === undefined ? [] : [{ atMs: Date.parse(at), failed: !recovered }];
};

/**
 * How a signal's own threshold would have judged the readings, by the evaluator itself: each change of status is an
 * event that it would have told.
 */
export const judge = ({ blocks }: ReadingLog, limits: OwnLimits): StatusChange[] => {
  const changes: StatusChange[] = [];
  const sink: EvaluationSink = {
    event: ({ event }) => changes.push(...changeOf(event)),
    deadLetter: (problem) => {
      throw new RangeError(`a reading that cannot be evaluated: ${problem}`);
    },
    probeAnswer: () => undefined,
    pendingAnswer: () => undefined,
  };
  const evaluation = new PartitionEvaluation(NOWHERE);
  let offset = 0;
  const apply = ({ headers = {}, value }: OutgoingRecord, appendedAt: number): void => {
    const record: LogRecord = { partition: 0, offset: offset++, appendedAt, key: null, headers, value };
    evaluation.apply(record, sink);
  };
  apply(changeRecord({ type: "signal", signal: definitionOf(limits) }, 0), 0);
  for (const { atMs, value } of blocks) apply({ value }, atMs);
  return changes;
};
