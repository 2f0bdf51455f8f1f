import { createHmac, createSecretKey } from "node:crypto";
import { standardKeyOf } from "./secret.ts";

/** Names of headers, as they are sent; a receiver sees them in any case. */
export const SERVICE_SIGNATURE = "X-Service-Signature";
export const SERVICE_SIGNATURE_NEXT = "X-Service-Signature-Next";
export const STANDARD_SIGNATURE = "webhook-signature";

const SERVICE_PREFIX = "sha256=";
const STANDARD_PREFIX = "v1,";

/** `sha256=` and the lowercase hex HMAC-SHA256 of the raw body; the key is the whole secret as text in UTF-8. */
export const serviceSignature = (secret: string, body: string | Uint8Array): string =>
  SERVICE_PREFIX + createHmac("sha256", secret).update(body).digest("hex");

/**
 * `v1,` and the base64 HMAC-SHA256 of `<id>.<timestamp>.<raw body>`; the key is what the base64 after `whsec_` holds.
 * Source: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export const standardSignature = (
  secret: string,
  id: string,
  timestamp: string,
  body: string | Uint8Array,
): string =>
  STANDARD_PREFIX +
  // With the bytes themselves as its key, Node 24 takes three times as long.
  createHmac("sha256", createSecretKey(standardKeyOf(secret)))
    .update(`${id}.${timestamp}.`)
    .update(body)
    .digest("base64");

export interface SigningSecrets {
  readonly secret: string;
  /** The one before, while it is still valid; null for none. */
  readonly previous: string | null;
}

/**
 * The headers that sign one attempt, which begins at `atMs` (Unix milliseconds). While two secrets are valid, receivers
 * that know only the old one go on: it signs `X-Service-Signature`, the new one `X-Service-Signature-Next`, and
 * `webhook-signature` carries both, parted by a space.
 */
export const signatureHeaders = (
  { secret, previous }: SigningSecrets,
  id: string,
  atMs: number,
  body: string | Uint8Array,
): Record<string, string> => {
  const timestamp = String(Math.floor(atMs / 1000));
  const standard = [secret, ...(previous === null ? [] : [previous])].map((one) =>
    standardSignature(one, id, timestamp, body),
  );
  return {
    [SERVICE_SIGNATURE]: serviceSignature(previous ?? secret, body),
    ...(previous === null ? {} : { [SERVICE_SIGNATURE_NEXT]: serviceSignature(secret, body) }),
    [STANDARD_SIGNATURE]: standard.join(" "),
  };
};

/** What a webhook signs with; `previousValidUntil` in Unix milliseconds. */
export interface WebhookSecrets {
  readonly secret: string;
  /** The one before the last rotation, also when it is no longer valid. */
  readonly previous: string | null;
  readonly previousValidUntil: number | null;
}

/** Those that sign at `nowMs`. */
export const signingNow = (
  { secret, previous, previousValidUntil }: WebhookSecrets,
  nowMs: number,
): SigningSecrets => ({
  secret,
  previous: previousValidUntil !== null && nowMs < previousValidUntil ? previous : null,
});
