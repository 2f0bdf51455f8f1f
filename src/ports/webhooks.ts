import type { AccountId, DeliveryId, EventId, SignalId, WebhookId } from "../../schemas/common.ts";
import type { EventKind } from "../../schemas/event.ts";
import type {
  Attempt,
  DeliveriesQuery,
  DeliveryStatus,
  WebhookCreate,
  WebhookPatch,
  WebhookSettings,
} from "../../schemas/webhook.ts";
import type { AddressedEvent } from "../domain/records.ts";
import type { Circuit } from "../domain/webhooks/circuit.ts";
import type { WebhookSecrets } from "../domain/webhooks/signature.ts";
import type { Changed, Expected, Page, Paged } from "./control-store.ts";

/** Times are Unix milliseconds throughout. */
export interface StoredWebhook {
  readonly id: WebhookId;
  readonly accountId: AccountId;
  readonly revision: number;
  readonly settings: WebhookSettings;
  /** Opened: for who signs only. */
  readonly secrets: WebhookSecrets;
  /** Why the service disabled it; null when its owner did, or it is enabled. */
  readonly disabledReason: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}
export interface ShownWebhook {
  readonly webhook: StoredWebhook;
  readonly circuit: Circuit;
}

/** Whoever is disabled, by its owner or by the service, has what was pending discarded. */
export interface Webhooks {
  /** With a new secret of its own. */
  create(accountId: AccountId, input: WebhookCreate): Promise<Changed<StoredWebhook>>;
  get(accountId: AccountId, id: WebhookId): Promise<ShownWebhook | null>;
  /** Of these ids, the ones that exist. */
  existing(accountId: AccountId, ids: readonly WebhookId[]): Promise<WebhookId[]>;
  /** In the order of making. */
  list(accountId: AccountId, page: Page): Promise<Paged<ShownWebhook>>;
  /** Enabling one clears what is known of its health. */
  update(
    accountId: AccountId,
    id: WebhookId,
    patch: WebhookPatch,
    expected?: Expected,
  ): Promise<Changed<StoredWebhook>>;
  /** With its deliveries. */
  remove(accountId: AccountId, id: WebhookId, expected?: Expected): Promise<Changed<null>>;
  /** A new secret; the one that was goes on being valid for so long. */
  rotate(accountId: AccountId, id: WebhookId, overlapMs: number): Promise<Changed<StoredWebhook>>;
  /** The secret before signs no longer, if it still did. */
  endPrevious(accountId: AccountId, id: WebhookId): Promise<Changed<StoredWebhook>>;
  /** A number that rises with every change of any webhook. */
  changes(): Promise<number>;
  /** Every enabled webhook of every account. */
  enabled(): Promise<StoredWebhook[]>;
  /** Events about webhooks, the oldest first, that may not be in the log yet: appended, and then `told`. */
  notices(limit: number): Promise<AddressedEvent[]>;
  told(ids: readonly EventId[]): Promise<void>;
}

/** What is kept of an event while deliveries speak of it. */
export interface WebhookEvent {
  readonly id: EventId;
  /** Its offset in topic `events`. */
  readonly position: number;
  readonly kind: EventKind;
  readonly signalId: SignalId | null;
  readonly createdAt: number;
  /** The body of its requests, to the byte. */
  readonly body: string;
}
export interface NewDelivery {
  readonly webhookId: WebhookId;
  readonly event: WebhookEvent;
  /** Beside the order of events, from this time on; null: in their order. */
  readonly dueAt: number | null;
  /** Unless given, `pending`; the others are for the webhook's groups to tell, or to settle. */
  readonly status?: "held" | "grouped";
}

/** A delivery that is due, with all that a request needs. */
export interface DueDelivery {
  readonly id: DeliveryId;
  readonly webhookId: WebhookId;
  readonly eventId: EventId;
  readonly position: number;
  readonly kind: EventKind;
  readonly signalId: SignalId | null;
  /** Made so far in all, and since it was last sent again. */
  readonly attempts: number;
  readonly attemptsOfRound: number;
  readonly body: string;
}

/** The right to send what is due to one endpoint; its `fence` rises with every owner. */
export interface Lane {
  readonly webhookId: WebhookId;
  readonly fence: number;
  readonly circuit: Circuit;
}

/** One attempt that was made, and what becomes of its delivery. */
export interface MadeAttempt {
  readonly deliveryId: DeliveryId;
  readonly number: number;
  readonly at: number;
  readonly durationMs: number;
  readonly status: number | null;
  readonly failure: string | null;
  readonly detail: string;
  readonly responseBody: string | null;
  readonly becomes: DeliveryStatus;
  /** Null unless it becomes `pending`. */
  readonly nextAttemptAt: number | null;
}

/** What came of one lane since it was last saved. */
export interface LaneProgress {
  readonly webhookId: WebhookId;
  readonly fence: number;
  readonly circuit: Circuit;
  readonly attempts: readonly MadeAttempt[];
  /** The endpoint wants no more, or has failed for too long: the webhook is disabled, and why is shown and noticed. */
  readonly disable: string | null;
}

export interface StoredDelivery {
  readonly id: DeliveryId;
  readonly webhookId: WebhookId;
  readonly eventId: EventId;
  readonly kind: EventKind;
  readonly signalId: SignalId | null;
  readonly status: DeliveryStatus;
  readonly attempts: readonly Attempt[];
  readonly nextAttemptAt: number | null;
  readonly createdAt: number;
}

export interface Lanes {
  /**
   * Takes up to `max` lanes of enabled webhooks that nobody holds by now, for `leaseMs`, each under a new fence. Whoever
   * asked is counted for 10 s, though there was none.
   */
  take(owner: string, max: number, leaseMs: number): Promise<Lane[]>;
  /** Prolongs those it holds, and says which they are; it is counted for 10 s more. */
  renew(owner: string, leaseMs: number): Promise<ReadonlyMap<WebhookId, number>>;
  /** Lets go of these; or of all, and is counted no more. */
  release(owner: string, webhookIds?: readonly WebhookId[]): Promise<void>;
  /** How many lanes of enabled webhooks there are, and how many others are counted. */
  census(owner: string): Promise<{ readonly lanes: number; readonly others: number }>;
  /**
   * In one transaction, for those whose fence still holds: writes attempts, what became of their deliveries and the
   * circuit. Gives the lanes that are another's by now, of which nothing was written.
   */
  save(progress: readonly LaneProgress[]): Promise<ReadonlySet<WebhookId>>;
}

export interface Deliveries {
  /** To be called in the transaction of the events' projection. Gives those that were not there before. */
  add(deliveries: readonly NewDelivery[]): Promise<ReadonlySet<DeliveryId>>;
  /**
   * Waiting for their first attempt, in the order of events, those above the position; beyond the limit only what shares
   * the last one's position.
   */
  first(webhookId: WebhookId, above: number, limit: number): Promise<DueDelivery[]>;
  /** Webhooks that have deliveries waiting for their first attempt, with the lowest position of those. */
  waiting(): Promise<ReadonlyMap<WebhookId, number>>;
  /** Those of the ids that there are. */
  existing(ids: readonly DeliveryId[]): Promise<ReadonlySet<DeliveryId>>;
  /** To be sent again by now, the longest due first; and when the next one will be, null for never. */
  retries(
    webhookId: WebhookId,
    now: number,
    limit: number,
  ): Promise<{ readonly due: readonly DueDelivery[]; readonly nextAt: number | null }>;
  /** The newest first. Null: no such webhook. */
  list(
    accountId: AccountId,
    webhookId: WebhookId,
    query: DeliveriesQuery,
  ): Promise<Paged<StoredDelivery> | null>;
  get(accountId: AccountId, webhookId: WebhookId, id: DeliveryId): Promise<StoredDelivery | null>;
  /** The body that an event was or is sent with; null when it is no longer kept. */
  body(accountId: AccountId, webhookId: WebhookId, eventId: EventId): Promise<string | null>;
  /** Whatever became of it, it is due now, with the whole schedule before it. Null: no such delivery. */
  resend(accountId: AccountId, webhookId: WebhookId, id: DeliveryId): Promise<StoredDelivery | null>;
  /** As `resend`, for all that failed or were discarded of events since; gives how many. */
  recover(webhookId: WebhookId, since: number): Promise<number>;
  /** Forgets deliveries finished of events before, and those events: at most `limit` rows. Gives how many it were. */
  prune(before: number, limit: number): Promise<number>;
}
