import type { AnalyzeRequest } from "../../../schemas/analysis.ts";
import type { BatchOperation } from "../../../schemas/batch.ts";
import type { Clock } from "../../ports/clock.ts";
import type { SignalOperation } from "../../ports/control-store.ts";
import { ProblemError } from "../problem.ts";
import { readOperations } from "./read-operations.ts";
import type { Report } from "./reports.ts";

export interface Change {
  readonly index: number;
  readonly operation: SignalOperation;
}
export interface Analysis {
  readonly index: number;
  readonly request: AnalyzeRequest;
}
/** By what they need. */
export interface Sorted {
  readonly changes: readonly Change[];
  readonly reports: readonly Report[];
  readonly analyses: readonly Analysis[];
}

const changeOf = (
  operation: Exclude<BatchOperation, { operation: "report" | "analyze" }>,
): SignalOperation => {
  if (operation.operation === "delete") return { kind: "remove", id: operation.signalId };
  if (operation.operation === "create") {
    const { operation: _kind, ...input } = operation;
    return { kind: "create", input };
  }
  const { operation: _kind, signalId: id, ...patch } = operation;
  return { kind: "update", id, patch };
};

const sorted = (read: readonly { index: number; operation: BatchOperation }[]): Sorted => {
  const [changes, reports, analyses]: [Change[], Report[], Analysis[]] = [[], [], []];
  for (const { index, operation } of read) {
    if (operation.operation === "report") reports.push({ index, operation });
    else if (operation.operation === "analyze") {
      const { operation: _kind, ...request } = operation;
      analyses.push({ index, request });
    } else changes.push({ index, operation: changeOf(operation) });
  }
  return { changes, reports, analyses };
};

/** A batch whose operations have been read. */
export interface Batch {
  readonly size: number;
  readonly atomic: boolean;
  readonly work: Sorted;
  readonly refused: readonly { readonly index: number; readonly problem: ProblemError }[];
}

/** Reading needs a scope of its own, as everywhere. */
const unread = (): ProblemError => new ProblemError("forbidden", "the API key lacks the scope read");

/** `mayRead`: whether who sends it may see what is stored. */
export const readBatch = async (
  items: readonly unknown[],
  { atomic, mayRead }: { readonly atomic: boolean; readonly mayRead: boolean },
  clock: Clock,
): Promise<Batch> => {
  const read = await readOperations(items, clock);
  const work = sorted(read.filter((one) => "operation" in one));
  const refused = read.filter((one) => "problem" in one);
  if (mayRead) return { size: items.length, atomic, work, refused };
  const forbidden = work.analyses.map(({ index }) => ({ index, problem: unread() }));
  const rest = { ...work, analyses: [] };
  return { size: items.length, atomic, work: rest, refused: [...refused, ...forbidden] };
};

/** Whether control data is all that it reaches: then it may be a part of another transaction. */
export const isOfChanges = ({ work }: Batch): boolean =>
  work.reports.length === 0 && work.analyses.length === 0;
