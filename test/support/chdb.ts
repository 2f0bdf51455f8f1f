import { type Chdb, type ChdbOptions, startChdb } from "../../src/adapters/chdb/supervisor.ts";
import { openTimeSeries } from "../../src/adapters/clickhouse/time-series.ts";
import { systemClock, systemEntropy } from "../../src/adapters/system/clock.ts";
import type { Telemetry } from "../../src/ports/telemetry.ts";
import type { TimeSeries } from "../../src/ports/time-series.ts";
import { testTelemetry } from "./telemetry.ts";

/** The embedded engine on `directory`, real but for its silent telemetry. Close the time series to stop it. */
export const openChdb = async (
  directory: string,
  telemetry: Telemetry = testTelemetry(),
  options: Pick<ChdbOptions, "pulse"> = {},
): Promise<{ chdb: Chdb; timeSeries: TimeSeries }> => {
  const machine = { clock: systemClock, entropy: systemEntropy, telemetry };
  const chdb = await startChdb({ directory, ...machine, ...options });
  return { chdb, timeSeries: await openTimeSeries({ transport: chdb.transport, ...machine }) };
};

export const killChild = (chdb: Chdb): void => {
  const pid = chdb.pid();
  if (pid !== null) process.kill(pid, "SIGKILL");
};
