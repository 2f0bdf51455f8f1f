import { AlertId } from "../../schemas/common.ts";
import { PartitionEvaluation } from "../../src/domain/evaluation/evaluation.ts";
import type { LogRecord } from "../../src/domain/log-record.ts";
import { partitionOf } from "../../src/domain/partition.ts";
import { readingLine } from "../../src/domain/reading-line.ts";
import { changeRecord, type OutgoingRecord, tickRecord } from "../../src/domain/records.ts";
import { accountId, asRecord, CollectingSink, LOG_ID } from "./partition.ts";
import type { Input } from "./reference/input.ts";
import { toldEvents } from "./scenario-events.ts";

const NO_ALERT = AlertId.parse("alr_00000000000000000000000000");
const bytes = new TextEncoder();

/** A scenario as the log of one partition has it, and what the evaluator told of it. */
export interface ScenarioLog {
  readonly records: readonly LogRecord[];
  readonly sink: CollectingSink;
}

/** The id that the evaluator has given to an alert; one that it never gave, if there is no such alert. */
const alertIdOf = (sink: CollectingSink, input: Extract<Input, { kind: "acknowledged" }>): AlertId => {
  const { ruleId, signalId, nth } = input.acknowledged.of;
  const told = toldEvents(sink.events);
  const at = told.findIndex(
    ({ signalId: id, data: { alert } }) => id === signalId && alert?.ruleId === ruleId && alert.nth === nth,
  );
  return sink.events[at]?.event.data.alert?.id ?? NO_ALERT;
};

const outgoing = (input: Input, sink: CollectingSink, partition: number): OutgoingRecord => {
  switch (input.kind) {
    case "tick":
      return tickRecord(partition);
    case "change":
      return changeRecord(input.change, partition);
    case "readings":
      return { value: bytes.encode(input.readings.map((reading) => readingLine(...reading)).join("")) };
    case "acknowledged": {
      const { of, ...said } = input.acknowledged;
      const alertId = alertIdOf(sink, input);
      const whose = { accountId: accountId(1), signalId: of.signalId, alertId };
      return changeRecord({ type: "acknowledged", ...whose, ...said }, partition);
    }
  }
};

/** Appends and folds the inputs one after the other: an acknowledgement has to know what was told before. */
export const scenarioLog = (inputs: readonly Input[], partition = 0, partitions = 1): ScenarioLog => {
  const evaluation = new PartitionEvaluation({ logId: LOG_ID, partition, partitions });
  const sink = new CollectingSink();
  const records = inputs.map((input, offset) => {
    const record = { ...asRecord(outgoing(input, sink, partition), offset, input.appendedAt), partition };
    evaluation.apply(record, sink);
    return record;
  });
  return { records, sink };
};

/** What of an input concerns a partition; null if nothing does. */
const partOf = (input: Input, isOwn: (signalId: string) => boolean): Input | null => {
  if (input.kind === "readings") {
    const readings = input.readings.filter(([id]) => isOwn(id));
    return readings.length === 0 ? null : { ...input, readings };
  }
  if (input.kind === "acknowledged") return isOwn(input.acknowledged.of.signalId) ? input : null;
  if (input.kind === "tick") return input;
  const { change } = input;
  const id =
    change.type === "signal" ? change.signal.id : change.type === "signalDeleted" ? change.signalId : null;
  return id === null || isOwn(id) ? input : null;
};

/** The inputs of each of so many partitions. `isTimeShared`: where one has nothing to do, it is told the time. */
export const spread = (inputs: readonly Input[], partitions: number, isTimeShared: boolean): Input[][] =>
  Array.from({ length: partitions }, (_, partition) =>
    inputs.flatMap((input): Input[] => {
      const part = partOf(input, (id) => partitionOf(id, partitions) === partition);
      if (part !== null) return [part];
      return isTimeShared ? [{ kind: "tick", appendedAt: input.appendedAt }] : [];
    }),
  );
