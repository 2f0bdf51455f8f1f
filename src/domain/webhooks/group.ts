import { hash } from "node:crypto";
import {
  type AccountId,
  type EventId,
  GroupId,
  type SignalId,
  type SourceId,
  type WebhookId,
} from "../../../schemas/common.ts";
import type { GroupedSignal } from "../../../schemas/group.ts";
import type { WebhookGroups } from "../../../schemas/webhook.ts";
import { ulid } from "../ids.ts";

/** Signals of a group that are followed one by one; failures of others are counted. */
export const GROUP_SIGNALS_MAX = 10_000;
/** Groups of a webhook at once; failures of other sources are sent one by one. */
export const WEBHOOK_GROUPS_MAX = 1_000;
/** Conditions of a signal whose end is waited for; those beyond are not. */
export const OPEN_MAX = 100;

/**
 * Failures of one source's signals, for one webhook. It waits from its first failure to `dueAt`; if it is `isFormed` by
 * then (enough signals have failed) it is told, and goes on until all are well. Times are Unix milliseconds.
 */
export interface SignalGroup {
  readonly id: GroupId;
  readonly webhookId: WebhookId;
  readonly accountId: AccountId;
  readonly sourceId: SourceId;
  readonly startedAt: number;
  /** When it is to be looked at; null: nothing is to be told. */
  readonly dueAt: number | null;
  readonly isFormed: boolean;
  /** Signals that are followed, and how many of them are failed. */
  readonly signals: number;
  readonly failing: number;
  /** Failures that were not told yet of signals beyond GROUP_SIGNALS_MAX. */
  readonly beyond: number;
  /** Notifications so far, and when the newest was due. */
  readonly told: number;
  readonly toldAt: number;
  /** Of the newest event that changed it. */
  readonly position: number;
}

/** A signal of a group. */
export interface GroupMember {
  readonly signalId: SignalId;
  readonly name: string;
  readonly externalId: string | null;
  /** What holds it failed: alerts by their ids, and `signal` for its status. None: it is well. */
  readonly open: readonly string[];
  /** What no notification has told yet. */
  readonly news: GroupedSignal["status"] | null;
  readonly severity: GroupedSignal["severity"];
  /** Of the newest failure or recovery, as is `since`. */
  readonly eventId: EventId;
  readonly since: number;
  /** Of the newest event that was looked at: what comes again changes nothing. */
  readonly sequence: number;
}

const idOf = (webhookId: WebhookId, eventId: EventId, startedAt: number): GroupId =>
  GroupId.parse(`grp_${ulid(startedAt, hash("sha256", `${webhookId}\n${eventId}`, "buffer"))}`);

/** Begun by the failure of that event, which is still to be joined to it. */
export const newGroup = (
  of: Pick<SignalGroup, "webhookId" | "accountId" | "sourceId">,
  eventId: EventId,
  { waitSeconds }: WebhookGroups,
  nowMs: number,
): SignalGroup => ({
  id: idOf(of.webhookId, eventId, nowMs),
  webhookId: of.webhookId,
  accountId: of.accountId,
  sourceId: of.sourceId,
  startedAt: nowMs,
  dueAt: nowMs + waitSeconds * 1_000,
  isFormed: false,
  signals: 0,
  failing: 0,
  beyond: 0,
  told: 0,
  toldAt: 0,
  position: -1,
});

/** When what is new is told: after a wait for more, and no sooner than an interval after the last time. */
export const nextUpdateAt = (
  { toldAt }: SignalGroup,
  { waitSeconds, intervalSeconds }: WebhookGroups,
  nowMs: number,
): number => Math.max(toldAt + intervalSeconds * 1_000, nowMs + waitSeconds * 1_000);
