import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { killChild, openChdb } from "../support/chdb.ts";
import { timeSeriesConformance } from "./time-series.ts";

timeSeriesConformance("chDB in a child process", async () => {
  const directory = await mkdtemp(join(tmpdir(), "sos-"));
  const { chdb, timeSeries } = await openChdb(directory);
  return {
    timeSeries,
    kill: () => killChild(chdb),
    stop: async () => {
      await timeSeries.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
});
