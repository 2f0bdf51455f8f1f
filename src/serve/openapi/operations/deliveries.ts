import type { Operations } from "./operation.ts";

const DELIVERY = {
  id: "dlv_01JDA2V3Q8R5T7W9Y1B3D5F7H9",
  webhookId: "whk_01JDA2V3Q8R5T7W9Y1B3D5F7H9",
  eventId: "evt_01JDA2V3Q8R5T7W9Y1B3D5F7H9",
  event: "signal.failed",
  signalId: "sig_01JDA2V3Q8R5T7W9Y1B3D5F7H9",
  status: "pending",
  attempts: [
    {
      number: 1,
      at: "2026-01-31T09:30:00.000Z",
      durationMs: 41,
      responseStatus: 503,
      code: null,
      detail: "The endpoint failed.",
      responseBody: "try later",
    },
  ],
  nextAttemptAt: "2026-01-31T09:30:05.120Z",
  createdAt: "2026-01-31T09:30:00.000Z",
};
const BASE = "/v1/integrations/webhooks";
const tag = "Webhooks" as const;

export const DELIVERIES: Operations = {
  [`GET ${BASE}/:id/deliveries`]: {
    id: "listDeliveries",
    tag,
    summary: "See what was sent",
    description: "The newest first, each with its attempts and what the endpoint said.",
    answer: { 200: { deliveries: [DELIVERY], nextCursor: null } },
  },
  [`GET ${BASE}/:id/deliveries/:deliveryId`]: {
    id: "getDelivery",
    tag,
    summary: "Get a delivery",
    description: "With its attempts.",
    answer: { 200: DELIVERY },
  },
  [`POST ${BASE}/:id/deliveries/:deliveryId/resend`]: {
    id: "resendDelivery",
    tag,
    summary: "Send a delivery again",
    description:
      "Whatever became of it, at once and under the same `webhook-id`, with all retries before it. While its endpoint is left alone (`health.circuit` is `open`) it waits for the probe, five minutes at most.",
    answer: { 202: DELIVERY },
    errors: ["conflict"],
  },
};
