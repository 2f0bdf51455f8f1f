import type { Feed } from "./frames.ts";

/** What most benches send. */
export const FEED: Feed = { signals: 1_000, readingsPerFrame: 100, shape: "default" };
const ONE_A_FRAME: Feed = { ...FEED, readingsPerFrame: 1 };
/** Each uplink was heard by ten gateways, as in the middle of a city. */
const UPLINKS: Feed = { ...FEED, readingsPerFrame: 10, shape: "ttn-v3" };
/** By one alone, as most are elsewhere. */
const LONE_UPLINKS: Feed = { ...UPLINKS, readingsPerFrame: 1 };

/** By the names that figures have. */
export const FEEDS = {
  "100 a frame": FEED,
  "one a frame": ONE_A_FRAME,
  "ttn-v3 by ten gateways": UPLINKS,
  "ttn-v3 by one gateway": LONE_UPLINKS,
};
