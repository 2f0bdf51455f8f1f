import type { QueryClient, QueryKey } from "@tanstack/react-query";
import type { ToldEvent } from "../live/messages.ts";
import { live, whenBack } from "./live.ts";

/** However much happens, a list is asked for anew no more often. */
const EVERY_MS = 2_000;
/** What is being asked for is not broken off: a service that needs longer than that would never be heard. */
const KEPT = { cancelRefetch: false };

/** What of the lists an event makes old. */
const oldBy = (kind: string): readonly QueryKey[] => {
  if (kind.startsWith("alert.")) return [["alerts"], ["events"]];
  if (kind.startsWith("signal.")) return [["signals", "list"], ["signals", "one"], ["events"]];
  if (kind.startsWith("source.")) return [["sources"]];
  return kind.startsWith("webhook.") ? [["webhooks"]] : [];
};

/** Of the longest list that is shown: each of its pages is asked for, one after the other. */
const pagesShown = (queries: QueryClient): number => {
  const shown = queries.getQueryCache().findAll({ type: "active" });
  return Math.max(
    1,
    ...shown.map(({ state: { data } }) =>
      typeof data === "object" && data !== null && "pages" in data && Array.isArray(data.pages)
        ? data.pages.length
        : 1,
    ),
  );
};

/** Asks anew for what is old; what is being asked for already, once more behind that: its answer may be as old. */
export const renew = async (queries: QueryClient, queryKey: QueryKey = []): Promise<void> => {
  const running = queries.getQueryCache().findAll({ queryKey, type: "active", fetchStatus: "fetching" });
  const all = queries.invalidateQueries({ queryKey }, KEPT);
  const again = running.map(async (query) => {
    const one = { queryKey: query.queryKey, exact: true };
    // Waits for the answer that is on its way.
    await queries.invalidateQueries(one, KEPT);
    await queries.invalidateQueries(one, KEPT);
  });
  await Promise.all([all, ...again]);
};

/**
 * Lists follow what happens, a little behind, and the further the more is shown of them; in a pause not at all. The
 * function given is called with each event.
 */
export const eventFollower = (queries: QueryClient): ((event: ToldEvent) => void) => {
  const waiting = new Map<string, QueryKey>();
  const later = () => setTimeout(tell, EVERY_MS * pagesShown(queries));
  const tell = () => {
    if (live.isPaused) {
      later();
      return;
    }
    const keys = [...waiting.values()];
    waiting.clear();
    for (const queryKey of keys) void renew(queries, queryKey);
  };
  return (event) => {
    const isFirst = waiting.size === 0;
    for (const key of oldBy(event.event)) waiting.set(JSON.stringify(key), key);
    if (isFirst && waiting.size > 0) later();
  };
};

/** What came while there was no connection is asked for once there is one. */
export const fillGaps = (queries: QueryClient): (() => void) => whenBack(() => void renew(queries));
