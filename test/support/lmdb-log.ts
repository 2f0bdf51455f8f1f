import { type LmdbLogOptions, openLmdbLog } from "../../src/adapters/lmdb/open.ts";
import { systemClock, systemEntropy } from "../../src/adapters/system/clock.ts";
import type { EventLog } from "../../src/ports/event-log.ts";
import { testTelemetry } from "./telemetry.ts";

/** The embedded log in `directory`, with what the test does not name as it is in production. */
export const openTestLog = (
  options: Partial<LmdbLogOptions> & Pick<LmdbLogOptions, "directory">,
): Promise<EventLog> =>
  openLmdbLog({
    partitions: {},
    maxBytes: 2 ** 40,
    clock: systemClock,
    entropy: systemEntropy,
    telemetry: testTelemetry(),
    ...options,
  });
