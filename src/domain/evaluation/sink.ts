import type { PendingAnswer } from "../../../schemas/change.ts";
import type { LineProblem } from "../reading-line.ts";
import type { AddressedEvent, ProbeAnswer } from "../records.ts";

/** Why a line or a record was not evaluated; the name of its metric's label and of the dead letter's header. */
export type DeadLetterProblem =
  | LineProblem
  | "unknown_signal"
  | "deleted_signal"
  | "wrong_partition"
  | "unknown_kind"
  | "record_unreadable";

/** Where evaluation tells what came of a record, in order, while `apply` runs. */
export interface EvaluationSink {
  event(event: AddressedEvent): void;
  /** `line` null: the whole record. `bytes` are a part of the record's own: copy them to keep them. */
  deadLetter(problem: DeadLetterProblem, offset: number, line: number | null, bytes: Uint8Array): void;
  probeAnswer(probeId: string, answer: ProbeAnswer): void;
  pendingAnswer(questionId: string, answer: PendingAnswer): void;
}
