import { onTestFinished } from "vitest";
import { temporaryDirectory } from "../support/directory.ts";
import { openTestLog } from "../support/lmdb-log.ts";
import { eventLogConformance } from "./event-log.ts";

eventLogConformance("LMDB", async ({ partitions = {}, maxBytes = 2 ** 40 } = {}) => {
  const directory = await temporaryDirectory();
  let log = await openTestLog({ directory, partitions, maxBytes });
  onTestFinished(() => log.close());
  return {
    log,
    reopen: async () => {
      await log.close();
      log = await openTestLog({ directory, partitions, maxBytes });
      return log;
    },
  };
});
