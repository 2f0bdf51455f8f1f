import { queryOptions } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import { serverClock } from "../../api/server-clock.ts";
import type { Webhook } from "../../api/types.ts";
import { heldBackOf } from "./held-back.ts";

/** What may be held back at all. */
const KINDS: readonly string[] = [
  "alert.firing",
  "alert.resolved",
  "alert.acknowledged",
  "signal.failed",
  "signal.updated",
];
/** As long as a rule has to be calm to be told again. */
export const HELD_WITHIN_MS = 600_000;
/** Of more events the first are looked through. */
const EVENTS_MAX = 500;
const EVERY_MS = 30_000;

/** Of what happened lately, how much a webhook was not told of. `isWhole`: all of it was looked through. */
export const heldBack = (webhook: Webhook) => {
  const event = webhook.events.filter((kind) => KINDS.includes(kind));
  return queryOptions({
    // Not among the events: each that happens would have all of them asked for anew.
    queryKey: ["held-back", webhook.id, webhook.updatedAt],
    queryFn: async () => {
      const from = new Date(serverClock.now() - HELD_WITHIN_MS).toISOString();
      const page = await api.get("/v1/events", { params: { query: { from, event, limit: EVENTS_MAX } } });
      return { ...heldBackOf(webhook, page.events), isWhole: page.nextCursor === null };
    },
    enabled: webhook.status === "enabled" && event.length > 0,
    refetchInterval: EVERY_MS,
  });
};
