import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteControl } from "../src/adapters/sqlite/open.ts";
import { systemClock, systemEntropy } from "../src/adapters/system/clock.ts";
import { openTestLog } from "../test/support/lmdb-log.ts";
import { testTelemetry } from "../test/support/telemetry.ts";

/** What a worker that is measured alone works with: embedded engines in a directory of their own. */
export const openStageParts = async () => {
  const telemetry = testTelemetry();
  const machine = { clock: systemClock, entropy: systemEntropy, telemetry };
  const directory = await mkdtemp(join(tmpdir(), "sos-bench-"));
  const log = await openTestLog({ directory: join(directory, "log"), partitions: { readings: 1 } });
  const path = join(directory, "control.db");
  const control = await openSqliteControl({ ...machine, path, secretKey: systemEntropy.bytes(32) });
  return { directory, log, control, machine };
};
