import { createCaller } from "../../client/caller.ts";
import { serverClock } from "./server-clock.ts";

const { calls, raw } = createCaller({
  url: location.origin,
  apiKey: null,
  retries: 2,
  timeoutMs: 15_000,
  fetch: async (request, init) => {
    const before = Date.now();
    const response = await fetch(request, init);
    serverClock.heard(response.headers.get("date"), before, Date.now());
    return response;
  },
});
/** As whoever is signed in: the browser sends the session along. */
export const api = { ...calls, raw };
