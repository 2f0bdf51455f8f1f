export const USER_AGENT = "Signal-Optimization-Service-Webhooks/1";

/** Names of headers, as they are sent; a receiver sees them in any case. */
export const STANDARD_ID = "webhook-id";
export const STANDARD_TIMESTAMP = "webhook-timestamp";

/** What tells a delivery apart, signed or not. */
export const identityHeaders = (id: string, atMs: number): Record<string, string> => ({
  [STANDARD_ID]: id,
  [STANDARD_TIMESTAMP]: String(Math.floor(atMs / 1000)),
});

/** The headers of an attempt at `atMs` (Unix milliseconds) that need no secret, but those of HTTP itself and of its body. */
export const plainHeaders = (
  { eventId, kind }: { readonly eventId: string; readonly kind: string },
  atMs: number,
): Record<string, string> => ({
  "User-Agent": USER_AGENT,
  "X-Service-Event": kind,
  ...identityHeaders(eventId, atMs),
});
