import createFetchClient from "openapi-fetch";
import type { Entropy } from "../ports/clock.ts";
import { typedCalls } from "./calls.ts";
import { type EventsStreamQuery, eventStream } from "./event-stream.ts";
import { refuse } from "./failures.ts";
import type { paths } from "./generated.ts";
import { type LiveSelection, liveStream } from "./live-stream.ts";
import { type ClientClock, platformClock, platformEntropy } from "./platform.ts";
import type { FollowOptions } from "./reconnecting.ts";
import { persistentFetch, waitAskedMs } from "./sending.ts";

export interface ClientOptions {
  /** Where the service is: `http://127.0.0.1:8080`, with no path behind it. */
  readonly url: string;
  /** An API key or an access token; or what gives one at each call. Null: as whoever is signed in, in a page of the service. */
  readonly apiKey: string | (() => Promise<string>) | null;
  /** How often a request that may be is sent again; 3 unless given. 0: never, and no POST gets an Idempotency-Key. */
  readonly retries?: number;
  /** For one answer; 30 s unless given. */
  readonly timeoutMs?: number;
  readonly fetch?: (request: Request, init?: RequestInit) => Promise<Response>;
  readonly clock?: ClientClock;
  readonly entropy?: Entropy;
}

/**
 * A client of the API, typed by its OpenAPI document: whoever changes a route or a schema runs `npm run client` and
 * commits `generated.ts` (which formatter and linter leave as the generator writes it). It stands on nothing of Node, so
 * that a page can use it.
 *
 * - `get`, `post`, `patch`, `delete` give what came, and throw `ApiError` (a refusal: `code`, `detail`, `requestId`,
 *   `advice`) or `UnreachableError` (nobody answered). What may be done twice is sent again, as `persistentFetch` says.
 * - `pages` and `each` go through lists.
 * - `live` and `events` follow what happens, over any number of lost connections.
 * - `raw` gives the `response` beside the `data`, for `ETag` and `Location`; it throws as the others do.
 */
export const createClient = (options: ClientOptions) => {
  const { clock = platformClock, entropy = platformEntropy, retries = 3, timeoutMs = 30_000 } = options;
  const baseUrl = options.url.replace(/\/+$/, "");
  const raw = createFetchClient<paths>({
    baseUrl,
    fetch: persistentFetch({ fetch: options.fetch ?? fetch, clock, entropy, retries, timeoutMs }),
  });
  const { apiKey } = options;
  raw.use({
    onRequest: async ({ request }) => {
      const token = typeof apiKey === "function" ? await apiKey() : apiKey;
      if (token !== null) request.headers.set("Authorization", `Bearer ${token}`);
    },
  });
  raw.use({ onResponse: ({ response }) => refuse(response, waitAskedMs(response, clock)) });
  const calls = typedCalls(raw);
  return {
    raw,
    ...calls,
    events: (query: EventsStreamQuery = {}, follow: FollowOptions = {}) =>
      eventStream(raw, query, { ...follow, clock, entropy }),
    live: (selection: LiveSelection, follow: FollowOptions = {}) =>
      liveStream(baseUrl, calls, selection, { ...follow, clock, entropy }),
  };
};
export type ApiClient = ReturnType<typeof createClient>;
