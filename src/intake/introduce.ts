import type { SignalDefinition } from "../../schemas/change.ts";
import { changeRecord, type OutgoingRecord } from "../domain/records.ts";
import type { IngestMetrics } from "./metrics.ts";
import type { AccountSignals, SignalRef } from "./signal-cache.ts";

export interface IntroducerOptions {
  /** Of topic `readings`. */
  readonly partitions: number;
  readonly writer: { change(record: OutgoingRecord): void };
  readonly metrics: IngestMetrics;
}

/**
 * The signal that this process now knows by the name. Its whole definition goes to the log ahead of its first line,
 * whoever made it: the evaluator must know it then.
 */
export const introduce = (
  { partitions, writer, metrics }: IntroducerOptions,
  known: AccountSignals,
  name: string,
  definition: SignalDefinition,
): SignalRef => {
  const before = known.get(name);
  if (before !== undefined) return before;
  const signal = known.ref(definition.id, partitions);
  writer.change(changeRecord({ type: "signal", signal: definition }, signal.partition));
  metrics.changes.add(1);
  known.set(name, signal);
  return signal;
};
