import type { WebhookSettings } from "../../../schemas/webhook.ts";
import { plainHeaders } from "./plain-headers.ts";
import { signatureHeaders, signingNow, type WebhookSecrets } from "./signature.ts";

/** All headers of a request at `nowMs` (Unix milliseconds) but those of HTTP itself and of its body. */
export const requestHeaders = (
  { signing }: Pick<WebhookSettings, "signing">,
  secrets: WebhookSecrets,
  event: { readonly eventId: string; readonly kind: string; readonly body: string },
  nowMs: number,
): Record<string, string> => ({
  ...plainHeaders(event, nowMs),
  ...(signing ? signatureHeaders(signingNow(secrets, nowMs), event.eventId, nowMs, event.body) : {}),
});
