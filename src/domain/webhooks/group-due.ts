import type { GroupEventKind } from "../../../schemas/event.ts";
import type { WebhookGroups } from "../../../schemas/webhook.ts";
import type { SignalGroup } from "./group.ts";

/** Signals of a group whose failure or recovery no notification has told yet. */
export interface GroupNews {
  readonly failed: number;
  readonly recovered: number;
}

/** What becomes of a group that is due. `after` null: it is over. */
export type GroupOutcome =
  /** Too few have failed: what is held is sent as it is. */
  | { readonly kind: "release" }
  | { readonly kind: "tell"; readonly event: GroupEventKind; readonly after: SignalGroup | null }
  | { readonly kind: "rest"; readonly after: SignalGroup | null };

/** `settings` null: the webhook wants groups no more; what it was not told yet it is told, and that is the end. */
export const groupDue = (
  group: SignalGroup,
  news: GroupNews,
  settings: WebhookGroups | null,
): GroupOutcome => {
  if (!group.isFormed) return { kind: "release" };
  if (group.failing === 0 && group.told > 0) return { kind: "tell", event: "source.recovered", after: null };
  const hasNews = news.failed + news.recovered + group.beyond > 0;
  if (!hasNews) return { kind: "rest", after: settings === null ? null : { ...group, dueAt: null } };
  if (settings === null) return { kind: "tell", event: "source.degraded", after: null };
  const toldAt = group.dueAt ?? group.toldAt;
  const { failing } = group;
  const dueAt = failing === 0 ? toldAt + settings.waitSeconds * 1_000 : null;
  const after = { ...group, told: group.told + 1, toldAt, dueAt, beyond: 0, signals: failing };
  return { kind: "tell", event: "source.degraded", after };
};
