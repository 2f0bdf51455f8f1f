import type { AlertData } from "../../../schemas/alert.ts";
import type { AlertId, RuleId, SignalId, SilenceId } from "../../../schemas/common.ts";
import type { EventData, SignalEventKind } from "../../../schemas/event.ts";

/** Why an event is delivered to nobody. */
export interface Marks {
  readonly silencedBy?: SilenceId | undefined;
  readonly heldBy?: "flapping" | undefined;
}

/** An alert in an event; for its id: that it is the n-th of its rule on its signal, from 1. */
export interface ToldAlert extends Omit<AlertData, "id" | "repeatOf"> {
  readonly nth: number;
  /** For the id of an event: its sequence, for it is one of the same signal. */
  readonly repeatOf?: number | undefined;
}

export interface ToldData extends Marks, Pick<EventData, "signal" | "previous" | "reasons"> {
  readonly alert?: ToldAlert | undefined;
  readonly repeatOf?: number | undefined;
}

/** An event without the ids that depend on the log: what the reference and the evaluator must agree on. */
export interface ToldEvent {
  readonly event: SignalEventKind;
  readonly signalId: SignalId;
  readonly sequence: number;
  readonly createdAt: string;
  readonly data: ToldData;
}

/** An alert as somebody outside may name it. */
export interface AlertName {
  readonly ruleId: RuleId;
  readonly signalId: SignalId;
  readonly nth: number;
}

export type AlertIds = (name: AlertName) => AlertId | undefined;

export const iso = (timeMs: number): string => new Date(timeMs).toISOString();
