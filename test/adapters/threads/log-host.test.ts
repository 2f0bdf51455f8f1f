import { MessageChannel } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../../src/adapters/system/clock.ts";
import { guestLog } from "../../../src/adapters/threads/guest-log.ts";
import { hostLog, logFacts } from "../../../src/adapters/threads/log-host.ts";
import { LogUnavailableError } from "../../../src/ports/event-log.ts";
import { temporaryDirectory } from "../../support/directory.ts";
import { FaultyLog } from "../../support/faulty-log.ts";
import { openTestLog } from "../../support/lmdb-log.ts";

// Vitest fails the run at a rejection that nobody handles, as the service would end by it.
test("an append that fails when its log has been let go of is answered, and nothing else is said", async () => {
  const { port1, port2 } = new MessageChannel();
  const log = new FaultyLog(await openTestLog({ directory: await temporaryDirectory() }));
  const append = Promise.withResolvers<never>();
  const begun = Promise.withResolvers<void>();
  log.append = () => {
    begun.resolve();
    return append.promise;
  };
  const closeHost = hostLog(log, port1, systemClock);
  onTestFinished(async () => {
    port1.close();
    await log.close();
  });
  const appended = guestLog(logFacts(log), port2).append("readings", [{ value: new Uint8Array(1) }]);
  await begun.promise;
  closeHost();
  append.reject(new LogUnavailableError("gone"));
  await expect(appended).rejects.toThrow(LogUnavailableError);
});
