import { GroupEventKind } from "../../../schemas/event.ts";
import type { WebhookSettings } from "../../../schemas/webhook.ts";

/** Where a webhook's settings do not go together; null: they do. */
export const settingsProblem = ({
  events,
  groups,
}: Pick<WebhookSettings, "events" | "groups">): {
  readonly path: string;
  readonly message: string;
} | null => {
  const [told] = events.filter((event) => GroupEventKind.options.some((kind) => kind === event));
  if (groups === null)
    return told === undefined
      ? null
      : { path: "events", message: `${told} comes to webhooks with groups only` };
  if (events.includes("signal.failed") || events.includes("alert.firing")) return null;
  return {
    path: "groups",
    message: "needs signal.failed or alert.firing among events: nothing else is grouped",
  };
};
