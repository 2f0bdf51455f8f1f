import type { Severity } from "../../api/queries.ts";
import type { Condition, Rule, Schedule } from "../../api/types.ts";
import { linesOf, pairsText } from "../../parts/pairs.ts";
import { type Selected, selectOf } from "./select.ts";

/** Who hears of a rule's alerts, of webhooks: all that match, some, or none. */
export type ToldTo = "all" | "some" | "none";

export interface LevelDraft {
  readonly severity: Severity;
  readonly value: string;
}

/** A rule while it is typed: numbers as they stand in their fields. */
export interface RuleDraft extends Selected {
  readonly name: string;
  readonly enabled: boolean;
  readonly severity: Severity;
  readonly metric: Condition["metric"];
  readonly operator: Condition["operator"];
  readonly value: string;
  readonly valueLabel: string;
  readonly upper: string;
  readonly upperLabel: string;
  readonly hysteresis: string;
  readonly overSeconds: string;
  readonly direction: "either" | "rise" | "fall";
  readonly levels: readonly LevelDraft[] | null;
  readonly forSeconds: string;
  readonly keepFiringForSeconds: string;
  readonly failsSignal: boolean;
  readonly flapDetection: boolean;
  readonly schedule: Schedule | null;
  readonly toldTo: ToldTo;
  readonly webhookIds: readonly string[];
  /** A line each. */
  readonly emails: string;
}

export const NEW_RULE: RuleDraft = {
  name: "",
  enabled: true,
  severity: "warning",
  signalIds: [],
  labels: "",
  sourceId: "",
  metric: "strength",
  operator: "below",
  value: "-85",
  valueLabel: "",
  upper: "",
  upperLabel: "",
  hysteresis: "",
  overSeconds: "300",
  direction: "either",
  levels: null,
  forSeconds: "0",
  keepFiringForSeconds: "0",
  failsSignal: true,
  flapDetection: true,
  schedule: null,
  toldTo: "all",
  webhookIds: [],
  emails: "",
};

const text = (value: number | undefined): string => (value === undefined ? "" : String(value));

const toldToOf = ({ notify }: Rule): ToldTo => {
  if (notify?.webhookIds === undefined) return "all";
  return notify.webhookIds.length === 0 ? "none" : "some";
};

export const draftOf = (rule: Rule): RuleDraft => {
  const { condition, select, levels, notify } = rule;
  return {
    name: rule.name,
    enabled: rule.enabled,
    severity: rule.severity,
    signalIds: select.signalIds ?? [],
    labels: pairsText(select.labels ?? {}),
    sourceId: select.sourceId ?? "",
    metric: condition.metric,
    operator: condition.operator,
    value: text(condition.value),
    valueLabel: condition.valueFrom?.label ?? "",
    upper: text(condition.upper),
    upperLabel: condition.upperFrom?.label ?? "",
    hysteresis: text(condition.hysteresis),
    overSeconds: text(condition.overSeconds),
    direction: condition.direction ?? "either",
    levels: levels?.map(({ severity, value }) => ({ severity, value: String(value) })) ?? null,
    forSeconds: String(rule.forSeconds),
    keepFiringForSeconds: String(rule.keepFiringForSeconds),
    failsSignal: rule.failsSignal,
    flapDetection: rule.flapDetection,
    schedule: rule.schedule,
    toldTo: toldToOf(rule),
    webhookIds: notify?.webhookIds ?? [],
    emails: (notify?.emails ?? []).join("\n"),
  };
};

/** An empty field says nothing; what is no number is for the service to refuse, by its name. */
const number = (typed: string): number | undefined => (typed.trim() === "" ? undefined : Number(typed));
const withNumber = <Name extends string>(name: Name, typed: string): { readonly [name in Name]?: number } => {
  const value = number(typed);
  // What it holds is just this name, which a computed key does not say.
  return value === undefined ? {} : ({ [name]: value } as { readonly [name in Name]: number });
};

/** Its levels, as far as what it compares may have any. */
export const levelsOf = ({ operator, levels }: RuleDraft): RuleDraft["levels"] =>
  operator === "outside" || operator === "noData" ? null : levels;

const conditionOf = (draft: RuleDraft) => {
  const { metric, operator, valueLabel, upperLabel, direction } = draft;
  const hysteresis = withNumber("hysteresis", draft.hysteresis);
  const over = withNumber("overSeconds", draft.overSeconds);
  if (operator === "noData") return { metric, operator, ...over };
  const hasLevels = levelsOf(draft) !== null;
  const value = hasLevels ? {} : withNumber("value", draft.value);
  if (operator === "change") return { metric, operator, ...value, ...hysteresis, ...over, direction };
  const own = valueLabel === "" || hasLevels ? {} : { valueFrom: { label: valueLabel } };
  if (operator !== "outside") return { metric, operator, ...value, ...own, ...hysteresis };
  const upperOwn = upperLabel === "" ? {} : { upperFrom: { label: upperLabel } };
  return {
    metric,
    operator,
    ...value,
    ...own,
    ...withNumber("upper", draft.upper),
    ...upperOwn,
    ...hysteresis,
  };
};

const notifyOf = ({ toldTo, webhookIds, emails }: RuleDraft) => {
  const addresses = linesOf(emails);
  if (toldTo === "all" && addresses.length === 0) return null;
  return {
    ...(toldTo === "all" ? {} : { webhookIds: toldTo === "none" ? [] : [...webhookIds] }),
    ...(addresses.length === 0 ? {} : { emails: addresses }),
  };
};

/** As the API takes it. */
export const ruleOf = (draft: RuleDraft) => {
  const { name, enabled, severity, failsSignal, flapDetection, schedule } = draft;
  const levels = levelsOf(draft);
  return {
    name,
    enabled,
    severity,
    select: selectOf(draft),
    condition: conditionOf(draft),
    levels:
      levels?.map((level) => ({ severity: level.severity, value: number(level.value) ?? Number.NaN })) ??
      null,
    forSeconds: draft.operator === "noData" ? 0 : (number(draft.forSeconds) ?? 0),
    keepFiringForSeconds: number(draft.keepFiringForSeconds) ?? 0,
    failsSignal,
    flapDetection,
    schedule,
    notify: notifyOf(draft),
  };
};
export type RuleBody = ReturnType<typeof ruleOf>;

/** Whether each number is there that it compares with. */
const isWhole = (draft: RuleDraft): boolean => {
  const { operator, value, valueLabel, upper, upperLabel, overSeconds } = draft;
  const limits = levelsOf(draft)?.map((level) => level.value) ?? [value || valueLabel];
  const needed = [
    ...(operator === "noData" ? [] : limits),
    ...(operator === "outside" ? [upper || upperLabel] : []),
    ...(operator === "change" || operator === "noData" ? [overSeconds] : []),
  ];
  return needed.every((typed) => typed.trim() !== "");
};

/** What of it is tried on the past, whatever it is called and whoever is told; null: a number is half typed. */
export const triedOf = (draft: RuleDraft): RuleBody | null =>
  isWhole(draft) ? { ...ruleOf(draft), name: "tried", notify: null } : null;
