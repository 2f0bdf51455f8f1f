import { onTestFinished } from "vitest";
import { temporaryDirectory } from "../support/directory.ts";
import { openTestLog } from "../support/lmdb-log.ts";
import { eventLogConformance } from "./event-log.ts";

eventLogConformance("LMDB", async ({ partitions = {}, maxBytes = 2 ** 40, surroundings = {} } = {}) => {
  const directory = await temporaryDirectory();
  const options = { directory, partitions, maxBytes, ...surroundings };
  let log = await openTestLog(options);
  onTestFinished(() => log.close());
  return {
    log,
    reopen: async () => {
      await log.close();
      log = await openTestLog(options);
      return log;
    },
  };
});
