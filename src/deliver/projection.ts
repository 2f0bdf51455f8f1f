import type { SignalId } from "../../schemas/common.ts";
import type { LogRecord } from "../domain/log-record.ts";
import { type AddressedEvent, readEvent } from "../domain/records.ts";
import type { SignalStateRow } from "../ports/control-store.ts";

/** `paused` is control data's own word: to the evaluator such a signal is active. Null: no event of a signal. */
const rowOf = ({ signalId, event }: AddressedEvent): SignalStateRow | null => {
  const { signal } = event.data;
  if (signalId === null || event.sequence === null || signal === undefined) return null;
  const state = signal.status === "failed" ? "failed" : "active";
  const status = event.event === "signal.deleted" ? "deleted" : state;
  return { signalId, sequence: event.sequence, status, reasons: signal.reasons };
};

/** The newest state of each signal among these events; a record that is no event is told and left out. */
export const stateRows = (
  batch: readonly LogRecord[],
  unreadable: (record: LogRecord, error: unknown) => void,
): SignalStateRow[] => {
  const rows = new Map<SignalId, SignalStateRow>();
  for (const record of batch) {
    try {
      const row = rowOf(readEvent(record));
      if (row !== null && row.sequence > (rows.get(row.signalId)?.sequence ?? 0)) rows.set(row.signalId, row);
    } catch (error) {
      unreadable(record, error);
    }
  }
  return [...rows.values()];
};
