import type { AlertFilter, AlertState, Severity } from "../../api/queries.ts";

export const STATES: readonly AlertState[] = ["firing", "pending", "resolved"];
export const SEVERITIES: readonly Severity[] = ["info", "warning", "critical"];

/** What the address says of which alerts are shown; what it cannot mean is left out. */
export const alertFilter = (search: Record<string, unknown>): AlertFilter => {
  const state = STATES.find((one) => one === search.state);
  const severity = SEVERITIES.find((one) => one === search.severity);
  const { ruleId, signalId } = search;
  return {
    ...(state === undefined ? {} : { state }),
    ...(severity === undefined ? {} : { severity }),
    ...(typeof ruleId === "string" ? { ruleId } : {}),
    ...(typeof signalId === "string" ? { signalId } : {}),
  };
};
