import createFetchClient from "openapi-fetch";
import type { Entropy } from "../ports/clock.ts";
import { typedCalls } from "./calls.ts";
import { refuse } from "./failures.ts";
import type { paths } from "./generated.ts";
import { type ClientClock, platformClock, platformEntropy } from "./platform.ts";
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

/** The calls of the client alone, for a page that follows what happens in its own way: it needs no validator. */
export const createCaller = (options: ClientOptions) => {
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
  return { baseUrl, clock, entropy, raw, calls: typedCalls(raw) };
};
