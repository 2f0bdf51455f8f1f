import { BACKTEST_SIGNALS_MAX } from "../../../schemas/backtest.ts";
import type { SignalDefinition } from "../../../schemas/change.ts";
import { type AccountId, LIST_LIMIT_MAX } from "../../../schemas/common.ts";
import type { Rule } from "../../../schemas/rule.ts";
import { selector } from "../../domain/backtest/selection.ts";
import type { Signals } from "../../ports/control-store.ts";
import { validationFailed } from "../problem.ts";

async function* candidates(
  signals: Signals,
  accountId: AccountId,
  { select: { signalIds, labels } }: Rule,
): AsyncGenerator<readonly SignalDefinition[]> {
  if (signalIds !== undefined) {
    yield await signals.existing(accountId, [...new Set(signalIds)]);
    return;
  }
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await signals.list(accountId, { labels, sort: "name", limit: LIST_LIMIT_MAX, cursor });
    yield page.items.map(({ definition }) => definition);
    cursor = page.next;
  }
}

/** The signals that a rule looks at, by their ids; a problem where they are too many. */
export const selectedSignals = async (
  signals: Signals,
  accountId: AccountId,
  rule: Rule,
  path: string,
): Promise<Map<string, SignalDefinition>> => {
  const isSelected = selector(accountId, rule);
  const selected = new Map<string, SignalDefinition>();
  for await (const page of candidates(signals, accountId, rule)) {
    for (const signal of page) if (isSelected(signal)) selected.set(signal.id, signal);
    if (selected.size <= BACKTEST_SIGNALS_MAX) continue;
    const message = `selects more than ${BACKTEST_SIGNALS_MAX} signals: test it on some of them, by labels or signalIds`;
    throw validationFailed([{ path, message }]);
  }
  return selected;
};
