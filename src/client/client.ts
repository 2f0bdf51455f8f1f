import { type ClientOptions, createCaller } from "./caller.ts";
import { type EventsStreamQuery, eventStream } from "./event-stream.ts";
import { type LiveSelection, liveStream } from "./live-stream.ts";
import type { FollowOptions } from "./reconnecting.ts";

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
  const { baseUrl, clock, entropy, raw, calls } = createCaller(options);
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
