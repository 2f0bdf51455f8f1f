import type { WebhookSettings } from "../../../schemas/webhook.ts";
import { identityHeaders, signatureHeaders, signingNow, type WebhookSecrets } from "./signature.ts";

export const USER_AGENT = "Signal-Optimization-Service-Webhooks/1";

/** All headers of a request at `nowMs` (Unix milliseconds) but those of HTTP itself and of its body. */
export const requestHeaders = (
  { signing }: Pick<WebhookSettings, "signing">,
  secrets: WebhookSecrets,
  event: { readonly eventId: string; readonly kind: string; readonly body: string },
  nowMs: number,
): Record<string, string> => ({
  "User-Agent": USER_AGENT,
  "X-Service-Event": event.kind,
  ...identityHeaders(event.eventId, nowMs),
  ...(signing ? signatureHeaders(signingNow(secrets, nowMs), event.eventId, nowMs, event.body) : {}),
});
