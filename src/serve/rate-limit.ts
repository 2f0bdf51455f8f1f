import type { FastifyReply } from "fastify";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import type { App } from "./app.ts";
import { refusalOf } from "./authentication.ts";
import type { Caller } from "./caller.ts";
import { ProblemError } from "./problem.ts";

export interface RateLimit {
  readonly requests: number;
  readonly seconds: number;
}

const inSeconds = (ms: number): number => Math.ceil(ms / 1_000);

const CAME = { key: "with this key", source: "to this source", network: "from here" } as const;

/**
 * Counts requests by whom they are counted for, so many in a window, in each process; told in every answer
 * (draft-ietf-httpapi-ratelimit-headers). Throws a problem at the first one too many.
 */
export const rateLimiter = (what: keyof typeof CAME, { requests, seconds }: RateLimit) => {
  const limiter = new RateLimiterMemory({ points: requests, duration: seconds });
  const policy = `"${what}";q=${requests};w=${seconds}`;
  const left = ({ remainingPoints, msBeforeNext }: RateLimiterRes): string =>
    `"${what}";r=${remainingPoints};t=${inSeconds(msBeforeNext)}`;
  return async (id: string, reply: FastifyReply): Promise<void> => {
    const window = await limiter.consume(id).catch((refused: unknown) => {
      if (refused instanceof RateLimiterRes) return refused;
      throw refused;
    });
    const headers = { "RateLimit-Policy": policy, RateLimit: left(window) };
    reply.headers(headers);
    if (window.consumedPoints <= requests) return;
    const retryAfter = String(inSeconds(window.msBeforeNext));
    const detail = `more than ${requests} requests in ${seconds} s came ${CAME[what]}`;
    throw new ProblemError("rate_limited", detail, { headers: { ...headers, "Retry-After": retryAfter } });
  };
};

/** Counts a request for whoever it comes from. */
export type CountRequest = (caller: Caller, reply: FastifyReply) => Promise<void>;

/** Bounds the requests of each key; those of routes that have a limit of their own only if the key may not call them. */
export const limitRates = (app: App, limit: RateLimit | undefined): CountRequest => {
  const counted = limit === undefined ? null : rateLimiter("key", limit);
  const count: CountRequest = async ({ id }, reply) => counted?.(id, reply);
  app.addHook("onRequest", async (request, reply) => {
    if (request.caller === null) return;
    if (request.routeOptions.config.hasOwnRateLimit === true && refusalOf(request) === null) return;
    await count(request.caller, reply);
  });
  return count;
};
