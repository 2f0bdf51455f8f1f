import { ingestAlone } from "./alone.ts";
import type { Bench } from "./bench.ts";
import { FEED, ONE_A_FRAME, UPLINKS } from "./feeds.ts";

const SECONDS = 30;
const FEEDS = { "100 a frame": FEED, "one a frame": ONE_A_FRAME, "ttn-v3 by ten gateways": UPLINKS };

/** Socket to durable log. */
export const ingest: Bench = {
  about:
    "The ingest worker alone, from a WebSocket to the embedded log, each block durable (fsync) before it counts; the " +
    "log is emptied behind it.",
  parameters: { ...FEED, seconds: SECONDS },
  async *round({ seconds, wants }) {
    for (const [name, feed] of Object.entries(FEEDS))
      if (wants(name)) yield { ...(await ingestAlone(feed, seconds ?? SECONDS)), name };
  },
};
