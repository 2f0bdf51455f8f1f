import type { ApiClient } from "../../client/client.ts";
import { each } from "../../client/pages.ts";
import type { Wanted, WantedByKind } from "../../declared/file.ts";
import type { Present } from "../../declared/plan.ts";

const all = async <Item>(items: AsyncIterable<Item>): Promise<Item[]> => {
  const kept: Item[] = [];
  for await (const item of items) kept.push(item);
  return kept;
};

/** Looked for one by one: an account may have a million of them. */
const signalsLike = async (client: ApiClient, wanted: readonly Wanted[], signal: AbortSignal) => {
  const found = new Map<string, Present["signals"][number]>();
  for (const { key } of wanted) {
    const page = (start: object) =>
      client.get("/v1/signals", { params: { query: { q: key, limit: 500, ...start } }, signal });
    for await (const one of each(page, ({ signals }) => signals)) found.set(one.id, one);
  }
  return [...found.values()];
};

/** What the service has of what a file may hold. */
export const presentOf = async (
  client: ApiClient,
  wanted: WantedByKind,
  signal: AbortSignal,
): Promise<Present> => ({
  signals: await signalsLike(client, wanted.signals, signal),
  sources: await all(
    each(
      (start) =>
        client.get("/v1/integrations/sources", { params: { query: { limit: 500, ...start } }, signal }),
      ({ sources }) => sources,
    ),
  ),
  rules: await all(
    each(
      (start) => client.get("/v1/alerts/rules", { params: { query: { limit: 500, ...start } }, signal }),
      ({ rules }) => rules,
    ),
  ),
  webhooks: await all(
    each(
      (start) =>
        client.get("/v1/integrations/webhooks", { params: { query: { limit: 500, ...start } }, signal }),
      ({ webhooks }) => webhooks,
    ),
  ),
});
