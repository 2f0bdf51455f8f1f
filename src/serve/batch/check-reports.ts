import type { AccountId } from "../../../schemas/common.ts";
import type { SignalOperation, Signals } from "../../ports/control-store.ts";
import type { Sorted } from "./batch.ts";
import type { Outcomes } from "./outcomes.ts";
import { noSuchSignal, targetsOf } from "./reports.ts";

/** The externalId that a change gives a signal. */
const namedBy = (change: SignalOperation): string[] => {
  if (change.kind === "remove") return [];
  const { externalId } = change.kind === "create" ? change.input : change.patch;
  return typeof externalId === "string" ? [externalId] : [];
};

/** Of an atomic batch before anything is changed: whether each report's signal will be there. */
export const checkReports = async (
  signals: Signals,
  accountId: AccountId,
  { reports, changes }: Sorted,
  outcomes: Outcomes,
): Promise<void> => {
  if (reports.length === 0) return;
  const operations = changes.map(({ operation }) => operation);
  const removed = new Set(operations.flatMap((change) => (change.kind === "remove" ? change.id : [])));
  const named = new Set(operations.flatMap(namedBy));
  const targetOf = await targetsOf(signals, accountId, reports);
  for (const report of reports) {
    const target = targetOf(report);
    const stays = target !== undefined && !removed.has(target.id);
    if (!stays && !named.has(report.operation.externalId ?? ""))
      outcomes.refuse(report.index, noSuchSignal());
  }
};
