import { z } from "zod";
import { DeliveryId, WebhookId } from "../../../schemas/common.ts";
import { DeliveriesAnswer, DeliveriesQuery, Delivery } from "../../../schemas/webhook.ts";
import { answers } from "../answers.ts";
import type { App } from "../app.ts";
import { callerOf } from "../authentication.ts";
import type { Parts } from "../parts.ts";
import { notFound, ProblemError } from "../problem.ts";
import { spanOf } from "../span.ts";
import { deliveryAnswer } from "../webhooks/answers.ts";

const BASE = "/v1/integrations/webhooks/:id/deliveries";
const WebhookPath = z.strictObject({ id: WebhookId });
const DeliveryPath = z.strictObject({ id: WebhookId, deliveryId: DeliveryId });
const WHAT = "delivery of this id";

export const deliveryRoutes = (app: App, { control: { deliveries }, once }: Parts): void => {
  app.get(
    BASE,
    {
      schema: {
        params: WebhookPath,
        querystring: DeliveriesQuery,
        response: answers({ 200: DeliveriesAnswer }),
      },
    },
    async (request) => {
      spanOf(request.query);
      const page = await deliveries.list(callerOf(request).accountId, request.params.id, request.query);
      if (page === null) throw notFound("webhook of this id");
      return { deliveries: page.items.map(deliveryAnswer), nextCursor: page.next };
    },
  );

  app.get(
    `${BASE}/:deliveryId`,
    { schema: { params: DeliveryPath, response: answers({ 200: Delivery }) } },
    async (request) => {
      const { id, deliveryId } = request.params;
      const stored = await deliveries.get(callerOf(request).accountId, id, deliveryId);
      if (stored === null) throw notFound(WHAT);
      return deliveryAnswer(stored);
    },
  );

  app.post(
    `${BASE}/:deliveryId/resend`,
    { schema: { params: DeliveryPath, response: answers({ 202: Delivery }) } },
    (request, reply) =>
      once(request, reply, async (within) => {
        const { accountId } = callerOf(request);
        const { id, deliveryId } = request.params;
        const shown = await within.webhooks.get(accountId, id);
        if (shown?.webhook.settings.enabled === false)
          throw new ProblemError("conflict", "the webhook is disabled: enable it first, then resend");
        const stored = await within.deliveries.resend(accountId, id, deliveryId);
        if (stored === null) throw notFound(WHAT);
        return { status: 202, body: deliveryAnswer(stored) };
      }),
  );
};
