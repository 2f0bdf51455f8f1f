import type { AttemptResult } from "../domain/webhooks/outcome.ts";
import type { Clock } from "../ports/clock.ts";
import type { AttemptLimits } from "./attempt.ts";
import type { PoolLimits } from "./connection-pool.ts";
import type { Lookup } from "./guarded-lookup.ts";

export interface SenderLimits extends AttemptLimits, PoolLimits {
  /** For name, connection and TLS handshake. */
  readonly connectTimeoutMs: number;
  readonly keepAliveMs: number;
}

export const SENDER_LIMITS: SenderLimits = {
  timeoutMs: 15_000,
  connectTimeoutMs: 5_000,
  keptBytes: 4_096,
  readBytes: 65_536,
  headerBytes: 16_384,
  connectionsPerOrigin: 256,
  idleConnections: 1_024,
  keepAliveMs: 15_000,
};

export interface WebhookSenderOptions {
  readonly clock: Clock;
  /** Also lets http pass. Link-local and metadata addresses are never called. */
  readonly allowPrivate: boolean;
  /** How names become addresses; unless given by the name servers, or the system's way where private ones are allowed. */
  readonly lookup?: Lookup;
  readonly limits?: Partial<SenderLimits>;
}

export interface WebhookRequest {
  readonly url: string;
  /** All but content-type, accept-encoding and what HTTP itself needs. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string | Buffer;
  readonly signal: AbortSignal;
}

export interface Sent {
  readonly result: AttemptResult;
  readonly durationMs: number;
  /** At most 4 kB of UTF-8 without control characters, also of an answer that broke off; null where none began. */
  readonly responseBody: string | null;
  /** What the endpoint asks for, at most a day. */
  readonly retryAfterMs: number | null;
}

export interface WebhookSender {
  /**
   * Makes one request, follows no redirect, and comes back within 15 s whatever the endpoint does. Rejects with the
   * signal's reason when it aborts, and with SenderClosedError after `close`.
   */
  send(request: WebhookRequest): Promise<Sent>;
  /** Connections there are, those of them that are idle, and requests that wait for one. */
  counts(): { open: number; idle: number; waiting: number };
  /** Breaks off what is under way. */
  close(): Promise<void>;
}

export class SenderClosedError extends Error {
  override readonly name = "SenderClosedError";
}
