import { DRAINED_SECONDS, recordAlone } from "./alone.ts";
import type { Bench } from "./bench.ts";

/** The log to ClickHouse. */
export const record: Bench = {
  about: "A full embedded log read to its end by the record worker alone, into ClickHouse with both rollups.",
  parameters: { signals: 1_000, readings: DRAINED_SECONDS * 1_000_000 },
  async *round({ seconds }) {
    yield recordAlone(seconds ?? DRAINED_SECONDS);
  },
};
