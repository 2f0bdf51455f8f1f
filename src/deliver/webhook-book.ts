import type { AccountId, WebhookId } from "../../schemas/common.ts";
import type { WebhookGroups } from "../../schemas/webhook.ts";
import type { AddressedEvent } from "../domain/records.ts";
import { wants } from "../domain/webhooks/match.ts";
import type { Repositories } from "../ports/control-store.ts";
import type { StoredWebhook } from "../ports/webhooks.ts";

/** A webhook that asks for groups. */
export type GroupingWebhook = StoredWebhook & {
  readonly settings: StoredWebhook["settings"] & { readonly groups: WebhookGroups };
};
const isGrouping = (webhook: StoredWebhook): webhook is GroupingWebhook => webhook.settings.groups !== null;

/** The enabled webhooks of all accounts, in memory; read again whenever control data counts a change. */
export class WebhookBook {
  #version: number | null = null;
  #grouping: ReadonlyMap<AccountId, readonly GroupingWebhook[]> = new Map();
  #byId: ReadonlyMap<WebhookId, StoredWebhook> = new Map();
  #byAccount: ReadonlyMap<AccountId, readonly StoredWebhook[]> = new Map();

  /** Another one whenever there may be other webhooks; null before the first reading. */
  get version(): number | null {
    return this.#version;
  }

  /** Within a transaction it sees what the transaction sees. */
  async refresh({ webhooks }: Pick<Repositories, "webhooks">): Promise<void> {
    const version = await webhooks.changes();
    if (version === this.#version) return;
    const all = await webhooks.enabled();
    this.#byId = new Map(all.map((webhook) => [webhook.id, webhook]));
    this.#byAccount = Map.groupBy(all, ({ accountId }) => accountId);
    this.#grouping = Map.groupBy(all.filter(isGrouping), ({ accountId }) => accountId);
    this.#version = version;
  }

  get(id: WebhookId): StoredWebhook | undefined {
    return this.#byId.get(id);
  }

  get isRead(): boolean {
    return this.#version !== null;
  }
  /** Whether any webhook at all asks for groups. */
  get hasGroups(): boolean {
    return this.#grouping.size > 0;
  }
  /** Those of an account that ask for groups. */
  grouping(accountId: AccountId): readonly GroupingWebhook[] {
    return this.#grouping.get(accountId) ?? [];
  }

  get size(): number {
    return this.#byId.size;
  }

  matching(event: AddressedEvent): readonly StoredWebhook[] {
    const all = this.#byAccount.get(event.accountId) ?? [];
    return all.filter((webhook) => wants(webhook, event));
  }
}
