import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import type { App } from "./app.ts";
import { ProblemError } from "./problem.ts";

export interface RateLimit {
  readonly requests: number;
  readonly seconds: number;
}

const inSeconds = (ms: number): number => Math.ceil(ms / 1_000);

/**
 * So many requests of a key in a window, in each process; told in every answer
 * (draft-ietf-httpapi-ratelimit-headers).
 */
export const limitRates = (app: App, { requests, seconds }: RateLimit): void => {
  const limiter = new RateLimiterMemory({ points: requests, duration: seconds });
  const policy = `"key";q=${requests};w=${seconds}`;
  const left = ({ remainingPoints, msBeforeNext }: RateLimiterRes): string =>
    `"key";r=${remainingPoints};t=${inSeconds(msBeforeNext)}`;
  app.addHook("onRequest", async (request, reply) => {
    if (request.apiKey === null) return;
    const window = await limiter.consume(request.apiKey.id).catch((refused: unknown) => {
      if (refused instanceof RateLimiterRes) return refused;
      throw refused;
    });
    const headers = { "RateLimit-Policy": policy, RateLimit: left(window) };
    reply.headers(headers);
    if (window.consumedPoints <= requests) return;
    const retryAfter = String(inSeconds(window.msBeforeNext));
    const detail = `more than ${requests} requests in ${seconds} s came with this key`;
    throw new ProblemError("rate_limited", detail, { headers: { ...headers, "Retry-After": retryAfter } });
  });
};
