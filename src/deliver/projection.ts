import type { SignalId } from "../../schemas/common.ts";
import type { AddressedEvent } from "../domain/records.ts";
import { type ToldAlert, toldAlert } from "../domain/told-alert.ts";
import type { SignalStateRow } from "../ports/control-store.ts";

/** `paused` is control data's own word: to the evaluator such a signal is active. Null: no event of a signal. */
const rowOf = ({ signalId, event }: AddressedEvent): SignalStateRow | null => {
  const { signal } = event.data;
  if (signalId === null || event.sequence === null || signal === undefined) return null;
  const state = signal.status === "failed" ? "failed" : "active";
  const status = event.event === "signal.deleted" ? "deleted" : state;
  return { signalId, sequence: event.sequence, status, reasons: signal.reasons };
};

/** The newest state of each signal among these events. */
export const stateRows = (events: readonly AddressedEvent[]): SignalStateRow[] => {
  const rows = new Map<SignalId, SignalStateRow>();
  for (const event of events) {
    const row = rowOf(event);
    if (row !== null && row.sequence > (rows.get(row.signalId)?.sequence ?? 0)) rows.set(row.signalId, row);
  }
  return [...rows.values()];
};

/** What these events tell of alerts, in their order. */
export const alertRows = (events: readonly AddressedEvent[]): ToldAlert[] =>
  events.flatMap((event) => toldAlert(event) ?? []);
