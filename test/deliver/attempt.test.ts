import { expect, test } from "vitest";
import { EventId, WebhookId } from "../../schemas/common.ts";
import { judge } from "../../src/deliver/attempt.ts";
import { CLOSED } from "../../src/domain/webhooks/circuit.ts";
import { deliveryIdOf } from "../../src/domain/webhooks/delivery-id.ts";
import type { AttemptResult } from "../../src/domain/webhooks/outcome.ts";
import { DISABLE_AFTER_MS } from "../../src/domain/webhooks/schedule.ts";

const SINCE_MS = 1_767_225_600_000;
const eventId = EventId.parse("evt_01JDA2V3Q8R5T7W9Y1B3D5F7H9");
const webhookId = WebhookId.parse("whk_01JDA2V3Q8R5T7W9Y1B3D5F7H9");
const DUE = {
  id: deliveryIdOf(webhookId, eventId),
  webhookId,
  eventId,
  position: 1,
  kind: "signal.failed",
  signalId: null,
  attempts: 3,
  attemptsOfRound: 3,
  body: "{}",
} as const;
const FAILING = { failuresInRow: 3, failingSinceMs: SINCE_MS, openUntilMs: null };

const after = (failedMs: number, result: AttemptResult, circuit: typeof CLOSED = FAILING) => {
  const now = SINCE_MS + failedMs;
  const sent = { result, durationMs: 5, responseBody: null, retryAfterMs: null };
  const { disable, made } = judge(DUE, circuit, sent, { at: now - 5, now, random: 0.5 });
  return { disable, becomes: made.becomes };
};

test("an endpoint is disabled by the first failure 120 h after the one that began it, to the millisecond", () => {
  expect(after(DISABLE_AFTER_MS - 1, { status: 500 })).toEqual({ disable: null, becomes: "pending" });
  expect(after(DISABLE_AFTER_MS, { status: 500 })).toEqual({
    disable: "Every attempt has failed for 120 hours; the last one: The endpoint failed.",
    becomes: "pending",
  });
  const silent = { failure: "timeout", detail: "it took the request, and said nothing" } as const;
  expect(after(DISABLE_AFTER_MS, silent).disable).toContain("said nothing");
});

test("a success is one however long it failed before, and 410 ends it at its first word", () => {
  expect(after(2 * DISABLE_AFTER_MS, { status: 204 })).toEqual({ disable: null, becomes: "delivered" });
  const gone = after(0, { status: 410 }, CLOSED);
  expect(gone).toEqual({ disable: expect.stringContaining("gone for good"), becomes: "failed" });
});
