import { z } from "zod";
import { AcknowledgeRequest, Alert, AlertsAnswer, AlertsQuery } from "../../../schemas/alert.ts";
import { type AccountId, AlertId } from "../../../schemas/common.ts";
import { alertsPage } from "../alerts/alerts-page.ts";
import { answers } from "../answers.ts";
import type { App } from "../app.ts";
import { callerOf } from "../authentication.ts";
import type { Parts } from "../parts.ts";
import { notFound, ProblemError } from "../problem.ts";
import { refusal } from "../settle.ts";

const WHAT = "alert of this id";
const AlertPath = z.strictObject({ id: AlertId });

export const alertRoutes = (app: App, parts: Parts): void => {
  const { control, timeSeries, once } = parts;
  /** Control data keep what fires and what has just resolved, and know who took it on. */
  const found = async (accountId: AccountId, id: AlertId): Promise<Alert | null> => {
    const told = (await control.alerts.get(accountId, id)) ?? (await timeSeries.alert(accountId, id));
    return told?.alert ?? null;
  };

  app.get(
    "/v1/alerts",
    { schema: { querystring: AlertsQuery, response: answers({ 200: AlertsAnswer }) } },
    (request) => alertsPage(parts, callerOf(request).accountId, request.query),
  );

  app.get(
    "/v1/alerts/:id",
    { schema: { params: AlertPath, response: answers({ 200: Alert }) } },
    async (request) => {
      const alert = await found(callerOf(request).accountId, request.params.id);
      if (alert === null) throw notFound(WHAT);
      return alert;
    },
  );

  app.post(
    "/v1/alerts/:id/acknowledge",
    {
      schema: { params: AlertPath, body: AcknowledgeRequest.prefault({}), response: answers({ 200: Alert }) },
    },
    (request, reply) =>
      once(request, reply, async (within) => {
        const { accountId, id: by } = callerOf(request);
        const { id } = request.params;
        const changed = await within.alerts.acknowledge(accountId, id, { by, note: request.body.note });
        if (changed.ok) return { status: 200, body: changed.value.alert, outbox: changed.outbox };
        if (changed.reason === "not_found" && (await found(accountId, id)) !== null)
          throw new ProblemError("conflict", "the alert has resolved: there is nothing to take on");
        throw refusal(WHAT, changed);
      }),
  );
};
