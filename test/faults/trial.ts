import type { Fleet } from "../support/fleet.ts";
import type { Groups } from "../support/groups.ts";
import type { Stack } from "../support/stack.ts";
import type { Chance } from "./chance.ts";
import type { Feed } from "./feed.ts";

/** What faults happen to. */
export interface Trial {
  readonly stack: Stack;
  readonly fleet: Fleet;
  readonly feeds: readonly Feed[];
  readonly groups: Groups;
  readonly chance: Chance;
}

/** How many there are of each worker. */
export const EACH = 2;
export const PARTITIONS = 6;
export const SOURCES = 4;
export const SIGNALS_PER_SOURCE = 250;
export const READINGS_PER_SECOND = 20_000;

/** Every signal of a source has one reading in a round, of the same time: so a reading is known by its signal and time. */
export const ROUND_MS = (SIGNALS_PER_SOURCE * SOURCES * 1_000) / READINGS_PER_SECOND;
const FIRST_ROUND_MS = Date.now();
export const atOf = (round: number): number => FIRST_ROUND_MS + round * ROUND_MS;
export const roundOf = (atMs: number): number => (atMs - FIRST_ROUND_MS) / ROUND_MS;
