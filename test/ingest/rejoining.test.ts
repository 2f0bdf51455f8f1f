import { expect, it } from "vitest";
import type { EventLog } from "../../src/ports/event-log.ts";
import { FaultyLog } from "../support/faulty-log.ts";
import { TestIngest } from "../support/ingest.ts";
import { until } from "../support/until.ts";

it("sources that could not be assigned are degraded health, and are run as soon as they can be", async () => {
  let isBroken = true;
  const wrap = (log: EventLog): EventLog => {
    const consume: EventLog["consume"] = (options) =>
      log.consume({
        ...options,
        assigned: async (assignment) => {
          if (isBroken) throw new Error("nobody thought of this");
          return options.assigned(assignment);
        },
      });
    return Object.assign(new FaultyLog(log), { consume });
  };
  const ingest = await TestIngest.start({ wrap });
  const health = () => ingest.worker.health()[0];
  await until("the failure to show", () => health()?.state === "degraded");
  expect(health()?.detail).toBe("partition 0 of sources failed and is tried again: nobody thought of this");
  isBroken = false;
  await until("health", () => health()?.state === "ok");
});
