import type { Delivery, Webhook } from "../../../schemas/webhook.ts";
import { stateOf } from "../../domain/webhooks/circuit.ts";
import { signingNow } from "../../domain/webhooks/signature.ts";
import type { ShownWebhook, StoredDelivery } from "../../ports/webhooks.ts";
import { timestamp } from "../answers.ts";

const timestampOrNull = (ms: number | null) => (ms === null ? null : timestamp(ms));

/** A webhook as the API shows it: its secrets stay inside. */
export const webhookAnswer = ({ webhook, circuit }: ShownWebhook, nowMs: number): Webhook => {
  const { id, settings, secrets, disabledReason, createdAt, updatedAt } = webhook;
  const { previous } = signingNow(secrets, nowMs);
  return {
    id,
    ...settings,
    status: settings.enabled ? "enabled" : "disabled",
    statusReason: disabledReason,
    health: {
      circuit: stateOf(circuit, nowMs),
      failuresInRow: circuit.failuresInRow,
      failingSince: timestampOrNull(circuit.failingSinceMs),
    },
    previousSecretValidUntil: previous === null ? null : timestampOrNull(secrets.previousValidUntil),
    createdAt: timestamp(createdAt),
    updatedAt: timestamp(updatedAt),
  };
};

export const deliveryAnswer = (stored: StoredDelivery): Delivery => ({
  id: stored.id,
  webhookId: stored.webhookId,
  eventId: stored.eventId,
  event: stored.kind,
  signalId: stored.signalId,
  status: stored.status,
  attempts: [...stored.attempts],
  nextAttemptAt: timestampOrNull(stored.nextAttemptAt),
  createdAt: timestamp(stored.createdAt),
});
