import { wants } from "../../domain/webhooks/match.ts";
import type { Deliveries, NewDelivery, StoredWebhook } from "../../ports/webhooks.ts";
import type { EventFeed } from "../event-feed.ts";
import type { FeedEntry } from "../event-ring.ts";

const PAGE = 500;
/** Made anew by one request; the next one goes on from there. */
export const RECOVERED_MAX = 50_000;

interface RecoveryOptions {
  readonly feed: Pick<EventFeed, "read" | "end">;
  readonly deliveries: Deliveries;
  readonly nowMs: number;
  /** Of events older than this nobody knows any more what was delivered. */
  readonly keptDays: number;
}
const DAY_MS = 86_400_000;

const deliveryOf = (id: StoredWebhook["id"], entry: FeedEntry, dueAt: number): NewDelivery => ({
  webhookId: id,
  dueAt,
  event: {
    id: entry.id,
    position: entry.position,
    kind: entry.kind,
    signalId: entry.signalId,
    createdAt: entry.createdAtMs,
    body: entry.text,
  },
});

/**
 * Sends again what failed or was discarded of events since (Unix ms), and what no delivery was made of, as while the
 * webhook was disabled or not made yet; gives how many that is. What is older than the deliveries that are kept may have
 * been delivered, and is left alone.
 */
export const recover = async (
  webhook: StoredWebhook,
  askedMs: number,
  { feed, deliveries, nowMs, keptDays }: RecoveryOptions,
): Promise<number> => {
  const { id, accountId, settings } = webhook;
  const sinceMs = Math.max(askedMs, nowMs - keptDays * DAY_MS);
  const filter = { accountId, kinds: settings.events, signalIds: settings.filter.signalIds, fromMs: sinceMs };
  let count = 0;
  // What comes from here on is delivered as ever.
  const end = feed.end;
  for (let after = -1; after < end - 1 && count < RECOVERED_MAX; ) {
    const { entries, through } = await feed.read(after, PAGE, filter);
    const wanted = entries.filter(
      ({ position, signalId, text }) =>
        position < end && wants(webhook, { signalId, event: JSON.parse(text) }),
    );
    const added = await deliveries.add(wanted.map((entry) => deliveryOf(id, entry, nowMs)));
    count += added.size;
    if (through <= after) break;
    after = through;
  }
  return count + (await deliveries.recover(id, sinceMs));
};
