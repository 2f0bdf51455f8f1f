import type { QueryClient, QueryKey } from "@tanstack/react-query";
import { live } from "./live.ts";

/** Asks anew for what somebody has changed, `one` of `all`: in a pause, in which what is shown stands still, for that one. */
export const renewOwn = async (queries: QueryClient, all: QueryKey, one: QueryKey): Promise<void> => {
  await queries.invalidateQueries({ queryKey: all });
  // That it cannot be asked for is said where it is shown: what was changed is changed.
  if (live.isPaused)
    await queries
      .getQueryCache()
      .find({ queryKey: one })
      ?.fetch()
      .catch(() => undefined);
};
