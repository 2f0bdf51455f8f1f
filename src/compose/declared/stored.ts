import { type AccountId, LIST_LIMIT_MAX } from "../../../schemas/common.ts";
import type { WantedByKind } from "../../declared/file.ts";
import type { Present } from "../../declared/plan.ts";
import type { ControlStore, Page, Paged } from "../../ports/control-store.ts";

const all = async <Item>(list: (page: Page) => Promise<Paged<Item>>): Promise<Item[]> => {
  const items: Item[] = [];
  for (let cursor: string | undefined; ; ) {
    const page: Paged<Item> = await list({ limit: LIST_LIMIT_MAX, cursor });
    items.push(...page.items);
    if (page.next === null) return items;
    cursor = page.next;
  }
};

/** Of signals only those that may be meant: an account may have a million of them. */
const signalsLike = async ({ signals }: ControlStore, accountId: AccountId, keys: readonly string[]) => [
  ...(await signals.named(accountId, keys)),
  ...(await signals.called(accountId, keys)),
];

/** What the account has of what the file may mean, with secrets opened. */
export const storedOf = async (
  control: ControlStore,
  accountId: AccountId,
  wanted: WantedByKind,
): Promise<Present> => {
  const { sources, rules, webhooks } = control;
  const keys = wanted.signals.map(({ key }) => key);
  return {
    signals: await signalsLike(control, accountId, keys),
    sources: (await all((page) => sources.list(accountId, page))).map(({ source: { id, settings } }) => ({
      ...settings,
      id,
    })),
    rules: (await all((page) => rules.list(accountId, page))).map(({ rule }) => rule),
    webhooks: (await all((page) => webhooks.list(accountId, page))).map(({ webhook: { id, settings } }) => ({
      ...settings,
      id,
    })),
  };
};
