import type { AccountId } from "../../../schemas/common.ts";
import type { Condition } from "../../../schemas/condition.ts";
import type { Rule, Warning } from "../../../schemas/rule.ts";
import type { Repositories } from "../../ports/control-store.ts";

type Within = Pick<Repositories, "signals" | "webhooks">;
type Warn = (within: Within, accountId: AccountId, rule: Rule) => Promise<Warning[]>;

const ofWebhooks: Warn = async ({ webhooks }, accountId, { notify }) => {
  const ids = notify?.webhookIds ?? [];
  const existing = new Set(await webhooks.existing(accountId, ids));
  return ids.flatMap((id, at) =>
    existing.has(id) ? [] : [{ path: `notify.webhookIds.${at}`, message: `there is no webhook ${id}` }],
  );
};

const withoutLabel = (label: string, otherwise: number | undefined): string =>
  otherwise === undefined
    ? `no selected signal has the label ${label}: the rule rests on all of them`
    : `no selected signal has the label ${label}: all of them are held against ${otherwise}`;

const limitsOf = ({ value, valueFrom, upper, upperFrom }: Condition) => [
  { path: "condition.valueFrom.label", from: valueFrom, otherwise: value },
  { path: "condition.upperFrom.label", from: upperFrom, otherwise: upper },
];

const ofLabels: Warn = async ({ signals }, accountId, { select, condition }) => {
  const warnings: Warning[] = [];
  for (const { path, from, otherwise } of limitsOf(condition)) {
    if (from === undefined || (await signals.anySelected(accountId, select, from.label))) continue;
    warnings.push({ path, message: withoutLabel(from.label, otherwise) });
  }
  return warnings;
};

/** What of a rule is allowed and likely not meant, as things stand: signals and webhooks may come later. */
export const ruleWarnings: Warn = async (within, accountId, rule) => {
  const webhooks = await ofWebhooks(within, accountId, rule);
  const names = Object.keys(rule.select).length > 0;
  if (names && !(await within.signals.anySelected(accountId, rule.select)))
    return [{ path: "select", message: "matches no signal as yet" }, ...webhooks];
  return [...(await ofLabels(within, accountId, rule)), ...webhooks];
};
