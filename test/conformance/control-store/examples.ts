import {
  AccountId,
  type DeliveryId,
  EventId,
  SignalId,
  SourceId,
  type WebhookId,
} from "../../../schemas/common.ts";
import { RuleCreate } from "../../../schemas/rule.ts";
import { SignalCreate, SignalDefaults } from "../../../schemas/signal.ts";
import { SourceCreate } from "../../../schemas/source.ts";
import { WebhookCreate } from "../../../schemas/webhook.ts";
import { ulid } from "../../../src/domain/ids.ts";
import type { Changed } from "../../../src/ports/control-store.ts";
import type { MadeAttempt, NewDelivery } from "../../../src/ports/webhooks.ts";

/** A ULID that differs for each `seed`, from 0 to 255. */
export const fixedUlid = (seed: number): string => ulid(1_700_000_000_000, new Uint8Array(10).fill(seed));
export const MINE = AccountId.parse(`acc_${fixedUlid(1)}`);
export const OTHERS = AccountId.parse(`acc_${fixedUlid(2)}`);

export const aSignal = (fields: Partial<Parameters<typeof SignalCreate.parse>[0] & object> = {}) =>
  SignalCreate.parse({ name: "roof antenna", threshold: 0.4, ...fields });
export const aSource = (fields: object = {}) =>
  SourceCreate.parse({ name: "gateway", type: "websocket", url: "wss://feed.example/signals", ...fields });
export const aSimulator = (fields: object = {}) =>
  SourceCreate.parse({ name: "demo", type: "simulator", ...fields });
export const aRule = (fields: object = {}) =>
  RuleCreate.parse({ name: "weak", condition: { operator: "below", value: -90 }, ...fields });
export const DEFAULTS = SignalDefaults.parse({});

/** The value of a change that must have been done. */
export const succeeded = <T>(changed: Changed<T>): T => {
  if (!changed.ok) throw new Error(`refused: ${JSON.stringify(changed)}`);
  return changed.value;
};
export const SOURCE = SourceId.parse(`src_${fixedUlid(3)}`);

export const aWebhook = (fields: object = {}) =>
  WebhookCreate.parse({ url: "https://a.example/hook", events: ["signal.failed"], ...fields });
export const DELIVERY_AT_MS = 1_700_000_000_000;
/** Of the nth event, which is a millisecond later than the one before. */
export const aDelivery = (webhookId: WebhookId, n: number): NewDelivery => ({
  webhookId,
  dueAt: null,
  event: {
    id: EventId.parse(`evt_${ulid(DELIVERY_AT_MS + n, new Uint8Array(10).fill(255 - n))}`),
    position: n,
    kind: "signal.failed",
    signalId: SignalId.parse(`sig_${fixedUlid(n % 3)}`),
    createdAt: DELIVERY_AT_MS + n,
    body: `{"n":${n},"text":"Küche ✓ \\u0000"}`,
  },
});
/** The first, with success. */
export const anAttempt = (deliveryId: DeliveryId): MadeAttempt => ({
  deliveryId,
  number: 1,
  at: 1,
  durationMs: 1.5,
  status: 200,
  failure: null,
  detail: "Delivered.",
  responseBody: null,
  becomes: "delivered",
  nextAttemptAt: null,
});
