import type { DeliveryId, GroupId, SignalId, SourceId, WebhookId } from "../../schemas/common.ts";
import type { GroupMember, SignalGroup } from "../domain/webhooks/group.ts";
import type { GroupNews } from "../domain/webhooks/group-due.ts";

export interface LoadedGroup {
  readonly group: SignalGroup;
  /** Those of its signals that were asked for. */
  readonly members: readonly GroupMember[];
}
export interface ChangedGroup extends LoadedGroup {
  /** Deliveries that it holds from now on, and whether its notification tells the same. */
  readonly held: readonly { readonly deliveryId: DeliveryId; readonly isTold: boolean }[];
}
/** What is to be told, the news first. */
export interface GroupContent {
  /** Null: the source is gone. */
  readonly sourceName: string | null;
  readonly news: GroupNews;
  readonly members: readonly GroupMember[];
}

/**
 * Groups of signals that fail together, to be used in the transaction of the deliveries that come of them. Who changes
 * them calls `lock` first. Times are Unix milliseconds.
 */
export interface WebhookGroupStore {
  /** Until the transaction ends nobody else has it. */
  lock(): Promise<void>;
  /** Keeps these webhooks as they are until the transaction ends: before anything of theirs is changed. */
  keep(webhookIds: readonly WebhookId[]): Promise<void>;
  /** Groups of these webhooks and sources. */
  load(
    webhookIds: readonly WebhookId[],
    sourceIds: readonly SourceId[],
    signalIds: readonly SignalId[],
  ): Promise<LoadedGroup[]>;
  /** How many groups these webhooks have. */
  counts(webhookIds: readonly WebhookId[]): Promise<ReadonlyMap<WebhookId, number>>;
  /** Groups as they are now, with those members that changed. Webhooks that are gone get none. */
  save(groups: readonly ChangedGroup[]): Promise<void>;
  /** Of what a group holds, `told` is marked as grouped, the rest becomes pending. Gives the lowest position of the latter. */
  settle(id: GroupId, isTold: "by the group" | "by none"): Promise<number | null>;
  /** The longest due first. */
  due(now: number, limit: number): Promise<SignalGroup[]>;
  content(group: SignalGroup, limit: number): Promise<GroupContent>;
  /** Nothing is new any more, and who is well belongs to it no more. */
  told(group: SignalGroup): Promise<void>;
  remove(id: GroupId): Promise<void>;
}
