import { timingSafeEqual } from "node:crypto";
import { STANDARD_ID, STANDARD_TIMESTAMP } from "../domain/webhooks/plain-headers.ts";
import { standardKeyOf } from "../domain/webhooks/secret.ts";
import {
  SERVICE_SIGNATURE,
  SERVICE_SIGNATURE_NEXT,
  STANDARD_SIGNATURE,
  serviceSignature,
  standardSignature,
} from "../domain/webhooks/signature.ts";

/** Why a request is not to be trusted. Answer it with 401. */
export const REFUSALS = {
  signature_missing: "the request carries no signature",
  timestamp_missing:
    "the request carries no webhook-id and webhook-timestamp, so that it may be an old one sent again; pass allowUntimed to accept it",
  timestamp_invalid: "webhook-timestamp is no number of seconds",
  timestamp_too_old: "the request was signed too long ago, or this machine's clock is ahead",
  timestamp_too_new: "the request was signed in the future: this machine's clock is behind",
  signature_mismatch: "no signature fits: is it the right secret, and the body as it came, byte for byte?",
} as const;
export type Refusal = keyof typeof REFUSALS;

export class SignatureError extends Error {
  override readonly name = "SignatureError";
  readonly code: Refusal;
  constructor(code: Refusal) {
    super(REFUSALS[code]);
    this.code = code;
  }
}

/** Headers as Node's http, Fetch and most frameworks give them. */
export type ReceivedHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** How far `webhook-timestamp` may be from this machine's clock, in seconds; 300 unless given. */
  readonly toleranceSeconds?: number;
  /** Accept `X-Service-Signature` alone, which has no time: whoever saw a request can send it again for ever. */
  readonly allowUntimed?: boolean;
  /** Unix milliseconds, for tests. */
  readonly nowMs?: number;
}

export interface Verified {
  readonly scheme: "standard" | "service";
  /** The same for every attempt of a delivery: whoever has seen it has seen the event. Null if untimed. */
  readonly id: string | null;
  /** When the attempt was made; null if untimed. */
  readonly sentAt: Date | null;
}

const TOLERANCE_SECONDS = 300;

const headerOf = (headers: ReceivedHeaders, name: string): string | null => {
  if (headers instanceof Headers) return headers.get(name);
  const entry = Object.entries(headers).find(([key]) => key.toLowerCase() === name.toLowerCase());
  const value = entry?.[1];
  return (typeof value === "string" ? value : value?.[0]) ?? null;
};

/** In a time that tells nothing of where they differ. */
const isEqual = (a: string, b: string): boolean => {
  const [x, y] = [Buffer.from(a), Buffer.from(b)];
  return x.length === y.length && timingSafeEqual(x, y);
};
/** Looks at all, so that the time does not tell which fits. */
const anyEqual = (given: readonly string[], wanted: readonly string[]): boolean =>
  given.reduce((found, one) => wanted.reduce((any, other) => isEqual(one, other) || any, found), false);

const checkTime = (timestamp: string, toleranceSeconds: number, nowMs: number): Date => {
  if (!/^\d{1,12}$/.test(timestamp)) throw new SignatureError("timestamp_invalid");
  const sentAtMs = Number(timestamp) * 1000;
  if (nowMs - sentAtMs > toleranceSeconds * 1000) throw new SignatureError("timestamp_too_old");
  if (sentAtMs - nowMs > toleranceSeconds * 1000) throw new SignatureError("timestamp_too_new");
  return new Date(sentAtMs);
};

/**
 * Verifies that a webhook comes from the service, and was not changed nor sent again later. `rawBody` is the body as it
 * came, before any parser; `secret` the webhook's, or several while one replaces another. Throws a `SignatureError`
 * with a `code`, and a TypeError where a secret is empty; what it gives says which delivery it was.
 */
export const verifySignature = (
  rawBody: string | Uint8Array,
  headers: ReceivedHeaders,
  secret: string | readonly string[],
  options: VerifyOptions = {},
): Verified => {
  const secrets = typeof secret === "string" ? [secret] : secret;
  // Anybody can sign with nothing: a variable that is not set must not let them in.
  if (secrets.length === 0 || secrets.some((one) => standardKeyOf(one).length === 0))
    throw new TypeError("there is no secret to verify with");
  const standard = headerOf(headers, STANDARD_SIGNATURE);
  const service = [SERVICE_SIGNATURE, SERVICE_SIGNATURE_NEXT]
    .map((name) => headerOf(headers, name))
    .filter((value) => value !== null);
  if (standard === null && service.length === 0) throw new SignatureError("signature_missing");
  const id = headerOf(headers, STANDARD_ID);
  const timestamp = headerOf(headers, STANDARD_TIMESTAMP);
  if (standard !== null && id !== null && timestamp !== null) {
    const wanted = secrets.map((one) => standardSignature(one, id, timestamp, rawBody));
    if (!anyEqual(standard.split(" "), wanted)) throw new SignatureError("signature_mismatch");
    const { toleranceSeconds = TOLERANCE_SECONDS, nowMs = Date.now() } = options;
    return { scheme: "standard", id, sentAt: checkTime(timestamp, toleranceSeconds, nowMs) };
  }
  // What `X-Service-Signature` signs has no time in it: without the other scheme a time could be anybody's.
  if (options.allowUntimed !== true) throw new SignatureError("timestamp_missing");
  const wanted = secrets.map((one) => serviceSignature(one, rawBody));
  if (!anyEqual(service, wanted)) throw new SignatureError("signature_mismatch");
  return { scheme: "service", id: null, sentAt: null };
};
