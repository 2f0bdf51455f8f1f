import type { AccountId } from "../../../schemas/common.ts";
import type { Rule, Warning } from "../../../schemas/rule.ts";
import { hasLimits, type LimitLabel, limitLabels } from "../../domain/limit-labels.ts";
import type { LabelValues, Repositories } from "../../ports/control-store.ts";

const sum = (values: readonly LabelValues[]): number =>
  values.reduce((total, { signals }) => total + signals, 0);

const share = (count: number, total: number): string =>
  count === total
    ? `none of the ${total} selected signals has`
    : `${count} of ${total} selected signals lack`;

const ofLabel = (
  { path, label, otherwise, isUsable }: LimitLabel,
  values: readonly LabelValues[],
): Warning[] => {
  const lacking = sum(values.filter(({ labels }) => !isUsable(labels)));
  if (lacking === 0) return [];
  const total = sum(values);
  const those = lacking === total ? "all of them" : "those";
  const effect =
    otherwise === undefined ? `the rule rests on ${those}` : `${those} are held against ${otherwise}`;
  return [
    { path, message: `${share(lacking, total)} a limit that can be used in the label ${label}: ${effect}` },
  ];
};

/** Limits that labels were to give, and do not, as things stand; how many signals that is. */
export const limitWarnings = async (
  { signals }: Pick<Repositories, "signals">,
  accountId: AccountId,
  rule: Rule,
): Promise<Warning[]> => {
  const own = limitLabels(accountId, rule);
  const [first, second] = own;
  if (first === undefined) return [];
  const values = await signals.labelValues(accountId, rule.select, [first.label, second?.label]);
  const warnings = own.flatMap((one) => ofLabel(one, values));
  const has = hasLimits(accountId, rule);
  const isApart = ({ labels }: LabelValues): boolean =>
    own.every(({ isUsable, otherwise }) => otherwise !== undefined || isUsable(labels)) && !has(labels);
  const noBand = sum(values.filter(isApart));
  if (noBand === 0) return warnings;
  const message = `${noBand} of ${sum(values)} selected signals have limits without a band between them: the rule rests on those`;
  return [...warnings, { path: first.path, message }];
};
