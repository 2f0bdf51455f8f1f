import type { Feed } from "./frames.ts";

/** What most benches send. */
export const FEED: Feed = { signals: 1_000, readingsPerFrame: 100, shape: "default" };
export const ONE_A_FRAME: Feed = { ...FEED, readingsPerFrame: 1 };
/** Each uplink was heard by ten gateways, as in the middle of a city. */
export const UPLINKS: Feed = { ...FEED, readingsPerFrame: 10, shape: "ttn-v3" };
/** By one alone, as most are elsewhere. */
export const LONE_UPLINKS: Feed = { ...UPLINKS, readingsPerFrame: 1 };
