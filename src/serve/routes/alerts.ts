import { z } from "zod";
import { AcknowledgeRequest, Alert, AlertsAnswer, AlertsQuery } from "../../../schemas/alert.ts";
import { AlertId } from "../../../schemas/common.ts";
import { alertsPage } from "../alerts/alerts-page.ts";
import { oneAlert, pendingAlert, toldAlert } from "../alerts/one-alert.ts";
import { answers } from "../answers.ts";
import type { App } from "../app.ts";
import { callerOf } from "../authentication.ts";
import type { Parts } from "../parts.ts";
import { notFound, ProblemError } from "../problem.ts";
import { refusal } from "../settle.ts";

const WHAT = "alert of this id";
const AlertPath = z.strictObject({ id: AlertId });

export const alertRoutes = (app: App, parts: Parts): void => {
  const { once } = parts;

  app.get(
    "/v1/alerts",
    { schema: { querystring: AlertsQuery, response: answers({ 200: AlertsAnswer }) } },
    (request) => alertsPage(parts, callerOf(request).accountId, request.query),
  );

  app.get(
    "/v1/alerts/:id",
    { schema: { params: AlertPath, response: answers({ 200: Alert }) } },
    async (request) => {
      const alert = await oneAlert(parts, callerOf(request).accountId, request.params.id);
      if (alert === null) throw notFound(WHAT);
      return alert;
    },
  );

  app.post(
    "/v1/alerts/:id/acknowledge",
    {
      schema: { params: AlertPath, body: AcknowledgeRequest.prefault({}), response: answers({ 200: Alert }) },
    },
    async (request, reply) => {
      const { accountId, by } = callerOf(request);
      const { id } = request.params;
      const taken = once(request, reply, async (within) => {
        const changed = await within.alerts.acknowledge(accountId, id, { by, note: request.body.note });
        if (changed.ok) return { status: 200, body: changed.value.alert, outbox: changed.outbox };
        if (changed.reason === "not_found" && (await toldAlert(parts, accountId, id)) !== null)
          throw new ProblemError("conflict", "the alert has resolved: there is nothing to take on");
        throw refusal(WHAT, changed);
      });
      // Evaluators are asked behind the transaction: one that does not answer must hold up nobody.
      return taken.catch(async (error: unknown) => {
        const isUnknown = error instanceof ProblemError && error.code === "not_found";
        if (!isUnknown || (await pendingAlert(parts, accountId, id)) === null) throw error;
        throw new ProblemError("conflict", "the alert is pending: it can be taken on once it fires");
      });
    },
  );
};
