import type { WebhookId } from "../../schemas/common.ts";
import { GROUP_LIST_MAX } from "../../schemas/group.ts";
import type { SignalGroup } from "../domain/webhooks/group.ts";
import { groupDue } from "../domain/webhooks/group-due.ts";
import { groupEvent } from "../domain/webhooks/group-event.ts";
import type { Repositories } from "../ports/control-store.ts";
import type { NewDelivery } from "../ports/webhooks.ts";
import { newDelivery } from "./new-deliveries.ts";
import type { WebhookBook } from "./webhook-book.ts";

export interface FlushedGroup {
  readonly webhookId: WebhookId;
  /** The notification that was made. */
  readonly told: NewDelivery | null;
  /** From where on deliveries of the webhook may wait that nobody offered; null: there are none. */
  readonly position: number | null;
}

type Within = Pick<Repositories, "webhookGroups" | "deliveries">;

const end = async ({ webhookGroups }: Within, { id, webhookId }: SignalGroup): Promise<FlushedGroup> => {
  const position = await webhookGroups.settle(id, "by none");
  await webhookGroups.remove(id);
  return { webhookId, told: null, position };
};

const flushGroup = async (within: Within, book: WebhookBook, group: SignalGroup): Promise<FlushedGroup> => {
  const { webhookGroups, deliveries } = within;
  const webhook = book.get(group.webhookId);
  if (webhook === undefined) return end(within, group);
  const { news, members, sourceName } = await webhookGroups.content(group, GROUP_LIST_MAX);
  const outcome = groupDue(group, news, webhook.settings.groups);
  if (outcome.kind === "release") return end(within, group);
  const { webhookId, accountId, position } = group;
  const nothing = { webhookId, told: null, position: null };
  if (outcome.after === null) await webhookGroups.remove(group.id);
  else await webhookGroups.told(outcome.after);
  if (outcome.kind === "rest") return nothing;
  const name = sourceName ?? group.sourceId;
  const event = groupEvent({ group, event: outcome.event, news, members, sourceName: name });
  const body = JSON.stringify(event);
  const told = newDelivery(webhook, { accountId, signalId: null, event, position, body });
  const added = await deliveries.add([told]);
  return added.size === 0 ? nothing : { webhookId, told, position };
};

/** Tells what is due, or lets go of what was held for nothing; to be called in a transaction, which it is all of. */
export const flushGroups = async (
  within: Within,
  book: WebhookBook,
  nowMs: number,
  limit: number,
): Promise<FlushedGroup[]> => {
  await within.webhookGroups.lock();
  const due = await within.webhookGroups.due(nowMs, limit);
  if (due.length === 0) return [];
  // In the order in which an owner's change takes them: the webhook, then what belongs to it.
  await within.webhookGroups.keep(due.map(({ webhookId }) => webhookId));
  const flushed = [];
  for (const group of due) flushed.push(await flushGroup(within, book, group));
  return flushed;
};
