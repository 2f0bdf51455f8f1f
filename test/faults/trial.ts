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
