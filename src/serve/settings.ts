import { BATCH_BODY_BYTES_MAX } from "../../schemas/batch.ts";
import type { IntakeSettings } from "../intake/settings.ts";
import type { ConnectionSettings } from "../sources/source.ts";
import type { RateLimit } from "./rate-limit.ts";

/** What the serve worker is told; checked where configuration is read. */
export interface ServeSettings {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** PEM contents. Without it the server speaks plain HTTP: on loopback, or behind a proxy. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  /** Believe `X-Forwarded-*`; then every request but health and metrics must have come by https. */
  readonly trustProxy: boolean;
  /** Where people reach it, without a slash at its end; unless given, the address it listens on. */
  readonly publicUrl?: string | undefined;
  readonly version: string;
  /** The directory that the dashboard was built to; without it there is none. */
  readonly dashboard?: string | undefined;
  /** Of each key; none unless given. */
  readonly rateLimit?: RateLimit | undefined;
  /** Of each source that is pushed to; 10,000 in 10 s unless given. */
  readonly pushLimit?: RateLimit | undefined;
  /** Body of a request; 1 MiB unless given. */
  readonly bodyLimitBytes?: number;
  /** As for ingest: of readings that come by the API, and of sources that are tried. */
  readonly intake?: Partial<IntakeSettings & ConnectionSettings>;
  /** Whether webhooks may have private addresses, and speak http; not unless given. How long deliveries are kept. */
  readonly webhooks?: { readonly allowPrivate: boolean; readonly historyDays?: number };
  readonly limits?: Partial<ServeLimits>;
}

/** What bounds the worker; changed only by tests and by those who know why. */
export interface ServeLimits {
  readonly bodyLimitBytes: number;
  readonly batchBodyLimitBytes: number;
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly stopTimeoutMs: number;
  /** How long the answer to a change waits until the change is in the log. */
  readonly settleTimeoutMs: number;
  readonly probeTimeoutMs: number;
  /** Events kept in memory: at whichever limit comes first. */
  readonly ringEvents: number;
  readonly ringBytes: number;
  readonly streamClients: number;
  /** A stream with more than this unsent gets nothing until the peer reads. */
  readonly streamBufferedBytes: number;
  /** A stream that was up to date and falls this many events behind is closed with 4408. */
  readonly streamBehindEvents: number;
  readonly streamPingMs: number;
}

const DEFAULTS: ServeLimits = {
  bodyLimitBytes: 1024 * 1024,
  batchBodyLimitBytes: BATCH_BODY_BYTES_MAX,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  stopTimeoutMs: 5_000,
  settleTimeoutMs: 2_000,
  probeTimeoutMs: 5_000,
  ringEvents: 20_000,
  ringBytes: 32 * 1024 * 1024,
  streamClients: 10_000,
  streamBufferedBytes: 1024 * 1024,
  streamBehindEvents: 10_000,
  streamPingMs: 20_000,
};

export const limitsOf = ({ bodyLimitBytes, limits }: ServeSettings): ServeLimits => ({
  ...DEFAULTS,
  ...(bodyLimitBytes === undefined ? {} : { bodyLimitBytes }),
  ...limits,
});
