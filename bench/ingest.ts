import { ingestAlone } from "./alone.ts";
import type { Bench } from "./bench.ts";
import { FEEDS } from "./feeds.ts";

const SECONDS = 30;

/** Socket to durable log. */
export const ingest: Bench = {
  about:
    "The ingest worker alone, from a WebSocket to the embedded log, each block durable (fsync) before it counts; the " +
    "log is emptied behind it.",
  parameters: { feeds: FEEDS, sources: 1, seconds: SECONDS },
  async *round({ seconds, wants }) {
    for (const [name, feed] of Object.entries(FEEDS))
      if (wants(name)) yield { ...(await ingestAlone(feed, seconds ?? SECONDS)), name };
  },
};
