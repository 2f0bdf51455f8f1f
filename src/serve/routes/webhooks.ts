import { z } from "zod";
import { EventId, ListQuery, WebhookId } from "../../../schemas/common.ts";
import {
  CreatedWebhook,
  DiagnoseAnswer,
  DiagnoseRequest,
  RecoverAnswer,
  RecoverRequest,
  RotatedSecret,
  RotateSecret,
  Webhook,
  WebhookCreate,
  WebhookPatch,
  WebhooksAnswer,
  WebhookTest,
  WebhookTestAnswer,
  WebhookTestBefore,
} from "../../../schemas/webhook.ts";
import { CLOSED } from "../../domain/webhooks/circuit.ts";
import { diagnose, receivedHeaders } from "../../domain/webhooks/diagnose.ts";
import { STANDARD_ID } from "../../domain/webhooks/plain-headers.ts";
import { HISTORY_DAYS } from "../../domain/webhooks/schedule.ts";
import { endpointProblem } from "../../outgoing/webhook-address.ts";
import type { ShownWebhook } from "../../ports/webhooks.ts";
import { answers, timestamp } from "../answers.ts";
import type { App } from "../app.ts";
import { callerOf } from "../authentication.ts";
import { etagOf, expectedOf } from "../etag.ts";
import type { Parts } from "../parts.ts";
import { notFound, ProblemError, validationFailed } from "../problem.ts";
import { made } from "../settle.ts";
import { webhookAnswer } from "../webhooks/answers.ts";
import { recover } from "../webhooks/recovery.ts";

const WHAT = "webhook of this id";
const BASE = "/v1/integrations/webhooks";
const WebhookPath = z.strictObject({ id: WebhookId });

export const webhookRoutes = (app: App, parts: Parts): void => {
  const { control, by, once, onceBeside, clock, settings, webhookTrials, feed } = parts;
  const { webhooks, deliveries } = control;
  const allowPrivate = settings.webhooks?.allowPrivate ?? false;
  const checkUrl = (url: string | undefined): void => {
    const problem = url === undefined ? null : endpointProblem(url, allowPrivate);
    if (problem !== null) throw validationFailed([{ path: "url", message: problem }]);
  };
  const found = async (
    accountId: Parameters<typeof webhooks.get>[0],
    id: WebhookId,
  ): Promise<ShownWebhook> => {
    const shown = await webhooks.get(accountId, id);
    if (shown === null) throw notFound(WHAT);
    return shown;
  };

  app.post(
    BASE,
    { schema: { body: WebhookCreate, response: answers({ 201: CreatedWebhook }) } },
    (request, reply) =>
      once(request, reply, async (within) => {
        checkUrl(request.body.url);
        const changed = await within.webhooks.create(callerOf(request).accountId, request.body);
        const { value: webhook } = made("webhook", changed);
        const body = {
          ...webhookAnswer({ webhook, circuit: CLOSED }, clock.now()),
          secret: webhook.secrets.secret,
        };
        const headers = { Location: `${BASE}/${webhook.id}`, ETag: etagOf(webhook.revision) };
        return { status: 201, headers, body };
      }),
  );

  app.get(
    BASE,
    { schema: { querystring: ListQuery, response: answers({ 200: WebhooksAnswer }) } },
    async (request) => {
      const page = await webhooks.list(callerOf(request).accountId, request.query);
      const now = clock.now();
      return { webhooks: page.items.map((shown) => webhookAnswer(shown, now)), nextCursor: page.next };
    },
  );

  app.get(
    `${BASE}/:id`,
    { schema: { params: WebhookPath, response: answers({ 200: Webhook }) } },
    async (request, reply) => {
      const shown = await found(callerOf(request).accountId, request.params.id);
      return reply.header("ETag", etagOf(shown.webhook.revision)).send(webhookAnswer(shown, clock.now()));
    },
  );

  app.patch(
    `${BASE}/:id`,
    { schema: { params: WebhookPath, body: WebhookPatch, response: answers({ 200: Webhook }) } },
    async (request, reply) => {
      const { accountId } = callerOf(request);
      const { params, body } = request;
      checkUrl(body.url);
      made(WHAT, await by(request).webhooks.update(accountId, params.id, body, expectedOf(request)));
      const shown = await found(accountId, params.id);
      return reply.header("ETag", etagOf(shown.webhook.revision)).send(webhookAnswer(shown, clock.now()));
    },
  );

  app.delete(`${BASE}/:id`, { schema: { params: WebhookPath } }, async (request, reply) => {
    const { accountId } = callerOf(request);
    const { id } = request.params;
    made(WHAT, await by(request).webhooks.remove(accountId, id, expectedOf(request)));
    return reply.code(204).send();
  });

  app.post(
    `${BASE}/test`,
    { schema: { body: WebhookTestBefore, response: answers({ 200: WebhookTestAnswer }) } },
    (request, reply) =>
      onceBeside(request, reply, async () => {
        const { url, events, secret, signing } = request.body;
        checkUrl(url);
        const [kind = "signal.failed"] = events;
        const secrets = webhookTrials.secretsOf(secret);
        return { status: 200, body: await webhookTrials.try({ url, signing }, secrets, kind) };
      }),
  );

  app.post(
    `${BASE}/:id/test`,
    {
      schema: {
        params: WebhookPath,
        body: WebhookTest.prefault({}),
        response: answers({ 200: WebhookTestAnswer }),
      },
    },
    (request, reply) =>
      onceBeside(request, reply, async () => {
        const { webhook } = await found(callerOf(request).accountId, request.params.id);
        const body = await webhookTrials.try(webhook.settings, webhook.secrets, request.body.event);
        return { status: 200, body };
      }),
  );

  app.post(
    `${BASE}/:id/rotate-secret`,
    {
      schema: {
        params: WebhookPath,
        body: RotateSecret.prefault({}),
        response: answers({ 200: RotatedSecret }),
      },
    },
    (request, reply) =>
      once(request, reply, async (within) => {
        const { overlapSeconds } = request.body;
        const { accountId } = callerOf(request);
        const changed = await within.webhooks.rotate(accountId, request.params.id, overlapSeconds * 1000);
        const { secret, previousValidUntil } = made(WHAT, changed).value.secrets;
        const until =
          overlapSeconds === 0 || previousValidUntil === null ? null : timestamp(previousValidUntil);
        return { status: 200, body: { secret, previousValidUntil: until } };
      }),
  );

  app.delete(`${BASE}/:id/previous-secret`, { schema: { params: WebhookPath } }, async (request, reply) => {
    const { accountId } = callerOf(request);
    made(WHAT, await by(request).webhooks.endPrevious(accountId, request.params.id));
    return reply.code(204).send();
  });

  app.post(
    `${BASE}/:id/recover`,
    { schema: { params: WebhookPath, body: RecoverRequest, response: answers({ 202: RecoverAnswer }) } },
    (request, reply) =>
      onceBeside(request, reply, async () => {
        const { webhook } = await found(callerOf(request).accountId, request.params.id);
        if (!webhook.settings.enabled)
          throw new ProblemError("conflict", "the webhook is disabled: enable it first, then recover");
        const sinceMs = Date.parse(request.body.since);
        const keptDays = settings.webhooks?.historyDays ?? HISTORY_DAYS;
        const count = await recover(webhook, sinceMs, { feed, deliveries, nowMs: clock.now(), keptDays });
        return { status: 202, body: { deliveries: count } };
      }),
  );

  app.post(
    `${BASE}/:id/diagnose`,
    { schema: { params: WebhookPath, body: DiagnoseRequest, response: answers({ 200: DiagnoseAnswer }) } },
    (request, reply) =>
      onceBeside(request, reply, async () => {
        const { accountId } = callerOf(request);
        const { webhook } = await found(accountId, request.params.id);
        const { headers, body, computed = null } = request.body;
        const received = receivedHeaders(headers);
        const eventId = EventId.safeParse(received.get(STANDARD_ID));
        const sentBody = eventId.success ? await deliveries.body(accountId, webhook.id, eventId.data) : null;
        const nowMs = clock.now();
        const { secret, previous, previousValidUntil } = webhook.secrets;
        const { verifies, findings } = diagnose(
          { headers: received, body, computed, nowMs },
          {
            secret,
            previous,
            previousIsValid: previousValidUntil !== null && nowMs < previousValidUntil,
            isSigning: webhook.settings.signing,
            sentBody,
          },
        );
        return { status: 200, body: { verifies, findings: [...findings] } };
      }),
  );
};
