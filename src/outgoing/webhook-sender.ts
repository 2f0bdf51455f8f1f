import { lookup as systemLookup } from "node:dns";
import { retryAfterMs } from "../domain/retry-after.ts";
import { RETRY_AFTER_MAX_MS } from "../domain/webhooks/schedule.ts";
import { Attempt, type Ended } from "./attempt.ts";
import { AttemptError } from "./attempt-error.ts";
import { ConnectionPool } from "./connection-pool.ts";
import { Dialler } from "./dialler.ts";
import { farText } from "./far-text.ts";
import { guardedLookup } from "./guarded-lookup.ts";
import { NameResolver } from "./name-resolver.ts";
import {
  SENDER_LIMITS,
  SenderClosedError,
  type SenderLimits,
  type Sent,
  type WebhookRequest,
  type WebhookSender,
  type WebhookSenderOptions,
} from "./sending.ts";
import { endpointProblem, resolvedAddressProblem } from "./webhook-address.ts";

const OURS = ["content-type", "application/json", "accept-encoding", "identity"] as const;
const NOTHING = { bytes: new Uint8Array(), isCut: false };

class UndiciSender implements WebhookSender {
  readonly #options: WebhookSenderOptions;
  readonly #limits: SenderLimits;
  readonly #resolver: NameResolver | null;
  readonly #dialler: Dialler;
  readonly #pool: ConnectionPool;
  /** With what breaks each off. */
  readonly #attempts = new Map<Attempt, (reason: unknown) => void>();
  #isClosed = false;

  constructor(options: WebhookSenderOptions) {
    const { clock, allowPrivate } = options;
    this.#options = options;
    this.#limits = { ...SENDER_LIMITS, ...options.limits };
    this.#resolver = options.lookup === undefined && !allowPrivate ? new NameResolver() : null;
    const lookup = options.lookup ?? this.#resolver?.lookup ?? systemLookup;
    this.#dialler = new Dialler({
      clock,
      lookup: guardedLookup((address) => resolvedAddressProblem(address, allowPrivate), lookup),
      timeoutMs: this.#limits.connectTimeoutMs,
    });
    this.#pool = new ConnectionPool({ ...this.#limits, connect: this.#dialler.connect }, this.#limits);
  }

  async send(request: WebhookRequest): Promise<Sent> {
    if (this.#isClosed) throw new SenderClosedError("the sender is closed");
    request.signal.throwIfAborted();
    const problem = endpointProblem(request.url, this.#options.allowPrivate);
    if (problem === null) return this.#attempt(request);
    return this.#sent({ failure: new AttemptError("address_refused", problem), exchange: null }, 0);
  }

  counts(): { open: number; idle: number; waiting: number } {
    return this.#pool.counts();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const breakOff of [...this.#attempts.values()]) {
      breakOff(new SenderClosedError("the sender was closed"));
    }
    this.#dialler.close();
    this.#resolver?.close();
    await this.#pool.close();
  }

  #attempt({ url, headers, body, signal }: WebhookRequest): Promise<Sent> {
    const { origin, pathname, search } = new URL(url);
    const request = { path: pathname + search, headers: [...OURS, ...Object.entries(headers).flat()], body };
    const { clock } = this.#options;
    const startedAt = clock.monotonic();
    return new Promise((resolve, reject) => {
      const attempt = new Attempt({ clock, pool: this.#pool, limits: this.#limits }, origin, request, {
        settled: (ended) => {
          signal.removeEventListener("abort", aborted);
          const { failure } = ended;
          if (failure !== null && !(failure instanceof AttemptError)) return reject(failure);
          resolve(this.#sent({ ...ended, failure }, Math.round(clock.monotonic() - startedAt)));
        },
        left: () => this.#attempts.delete(attempt),
      });
      const breakOff = (reason: unknown) => {
        signal.removeEventListener("abort", aborted);
        attempt.abort();
        reject(reason);
      };
      const aborted = () => breakOff(signal.reason);
      signal.addEventListener("abort", aborted);
      this.#attempts.set(attempt, breakOff);
      attempt.start();
    });
  }

  #sent({ failure, exchange }: Ended<AttemptError>, durationMs: number): Sent {
    const status = exchange?.status ?? 0;
    const { bytes, isCut } = exchange?.body() ?? NOTHING;
    return {
      result: failure === null ? { status } : { failure: failure.failure, detail: failure.message },
      durationMs,
      responseBody: exchange?.progress === "body" ? farText(bytes, isCut, this.#limits.keptBytes) : null,
      retryAfterMs: retryAfterMs(exchange?.retryAfter, this.#options.clock.now(), RETRY_AFTER_MAX_MS),
    };
  }
}

/** Over undici, with connections that are kept and shared by all requests to an origin. */
export const createWebhookSender = (options: WebhookSenderOptions): WebhookSender =>
  new UndiciSender(options);
