import type { Operations } from "./operation.ts";

const SECRET = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const SETTINGS = {
  url: "https://hooks.example/signals",
  events: ["signal.failed", "signal.updated"],
  name: "pager",
  enabled: true,
  filter: { labels: { site: "north" } },
  signing: true,
  ratePerSecond: null,
  groups: { waitSeconds: 10, intervalSeconds: 300, minSignals: 2 },
  apiVersion: "v1",
};
const WEBHOOK = {
  id: "whk_01JDA2V3Q8R5T7W9Y1B3D5F7H9",
  ...SETTINGS,
  status: "enabled",
  statusReason: null,
  health: { circuit: "closed", failuresInRow: 0, failingSince: null },
  previousSecretValidUntil: null,
  createdAt: "2026-01-30T08:00:00.000Z",
  updatedAt: "2026-01-30T08:00:00.000Z",
};
const TEST_ANSWER = {
  delivered: true,
  responseStatus: 200,
  durationMs: 38,
  responseBody: "ok",
  detail: "Delivered.",
  request: {
    headers: {
      "Content-Type": "application/json",
      "X-Service-Event": "signal.failed",
      "X-Service-Signature": "sha256=3f1c…",
      "webhook-id": "evt_01JDA2V3Q8R5T7W9Y1B3D5F7H9",
      "webhook-timestamp": "1769851800",
      "webhook-signature": "v1,Zm9v…",
    },
    body: '{"event":"signal.failed"}',
  },
};
const BASE = "/v1/integrations/webhooks";
const tag = "Webhooks" as const;

export const WEBHOOKS: Operations = {
  [`POST ${BASE}`]: {
    id: "createWebhook",
    tag,
    summary: "Register a webhook",
    description:
      "Events of these kinds are sent to the URL by POST from now on, each at least once and always under the same `webhook-id`. `secret` verifies them, and is shown here and on rotation only. With `groups`, signals of one source that fail within `waitSeconds` come as one `source.degraded` that lists them, further ones in one more each `intervalSeconds`, and `source.recovered` when all are well: see `GET /v1/events/samples`. The single events stay in `GET /v1/events`.",
    body: { url: SETTINGS.url, events: SETTINGS.events, groups: {} },
    answer: { 201: { ...WEBHOOK, secret: SECRET } },
  },
  [`GET ${BASE}`]: {
    id: "listWebhooks",
    tag,
    summary: "List webhooks",
    description: "With how their endpoints are; never with their secrets.",
    answer: { 200: { webhooks: [WEBHOOK], nextCursor: null } },
  },
  [`GET ${BASE}/:id`]: {
    id: "getWebhook",
    tag,
    summary: "Get a webhook",
    description: "With how its endpoint is, and why the service disabled it if it did.",
    answer: { 200: WEBHOOK },
  },
  [`PATCH ${BASE}/:id`]: {
    id: "updateWebhook",
    tag,
    summary: "Change a webhook",
    description:
      "What is not named stays as it is. `enabled: false` discards what is pending; `true` begins anew, and `recover` brings back what was missed.",
    body: { enabled: false },
    answer: { 200: { ...WEBHOOK, enabled: false, status: "disabled" } },
  },
  [`POST ${BASE}/:id/rotate-secret`]: {
    id: "rotateWebhookSecret",
    tag,
    summary: "Get a new secret",
    description:
      "For `overlapSeconds` the old one goes on signing `X-Service-Signature`, the new one signs `X-Service-Signature-Next`, and `webhook-signature` carries both. Rotated again meanwhile, the one before that ends at once.",
    body: { overlapSeconds: 86_400 },
    answer: { 200: { secret: SECRET, previousValidUntil: "2026-02-01T09:30:00.000Z" } },
  },
  [`DELETE ${BASE}/:id/previous-secret`]: {
    id: "endPreviousWebhookSecret",
    tag,
    summary: "End the secret before at once",
    description: "Once every receiver knows the new one: from now on it signs alone, in both forms.",
  },
  [`DELETE ${BASE}/:id`]: {
    id: "deleteWebhook",
    tag,
    summary: "Remove a webhook",
    description: "With its deliveries: nothing more is sent.",
  },
  [`POST ${BASE}/test`]: {
    id: "testWebhookBefore",
    tag,
    summary: "Send a test to a URL before it is saved",
    description:
      "A made-up event of the first kind named, signed as it would be. The answer is 200 also when the endpoint fails: `delivered` says whether it did, `detail` what came of it.",
    body: { url: SETTINGS.url, events: ["signal.failed"] },
    answer: { 200: TEST_ANSWER },
  },
  [`POST ${BASE}/:id/test`]: {
    id: "testWebhook",
    tag,
    summary: "Send a test to a webhook",
    description: "A made-up event, signed with its secret; it is no delivery, and is not tried again.",
    body: { event: "signal.failed" },
    answer: { 200: TEST_ANSWER },
  },
  [`POST ${BASE}/:id/recover`]: {
    id: "recoverWebhook",
    tag,
    summary: "Send what was missed since a time",
    description:
      "What failed or was discarded, and events that no delivery was made of, as while it was disabled, or before it was made; at most 50,000 of those at once, and none older than deliveries are kept (30 days, unless the installation says otherwise). `deliveries` says how many will be sent.",
    body: { since: "2026-01-31T00:00:00.000Z" },
    answer: { 202: { deliveries: 12 } },
    errors: ["conflict"],
  },
  [`POST ${BASE}/:id/diagnose`]: {
    id: "diagnoseSignature",
    tag,
    summary: "Be told why a signature does not verify",
    description:
      "Paste the headers and the body as they were received; `computed` is what the receiver's own code comes to. Finds a body that was parsed and written again, an old or another secret, a wrong key, a missing prefix, a clock that is off.",
    body: { headers: { "webhook-id": "evt_01JDA2V3Q8R5T7W9Y1B3D5F7H9" }, body: '{"event":"signal.failed"}' },
    answer: {
      200: {
        verifies: false,
        findings: [{ code: "signature_missing", message: "There is no signature among these headers." }],
      },
    },
  },
};
