import { queryOptions } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import type { Alert } from "../../api/types.ts";

/** Just after it fired, when all that led to it is known; of one that waits: now. */
const momentOf = ({ firedAt }: Alert): string | undefined =>
  firedAt === null ? undefined : new Date(Date.parse(firedAt) + 1).toISOString();

/** What led to an alert, with the rule as it was then. */
export const why = (alert: Alert) => {
  const { ruleId, signalId } = alert;
  const at = momentOf(alert);
  const query = { signalId, ...(at === undefined ? {} : { at }) };
  return queryOptions({
    queryKey: ["rules", "why", ruleId, signalId, at ?? null],
    queryFn: () => api.get("/v1/alerts/rules/{id}/explain", { params: { path: { id: ruleId }, query } }),
  });
};
