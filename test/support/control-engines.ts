import { onTestFinished } from "vitest";
import { type ControlStore, ControlUnavailableError } from "../../src/ports/control-store.ts";
import type { ManualClock } from "./clock.ts";
import * as sqlite from "./engines.ts";
import * as postgres from "./postgres.ts";

export const openPostgres = async (clock: ManualClock, url: string): Promise<ControlStore> => {
  const control = await postgres.openTestControl({ url, clock });
  onTestFinished(() => control.close());
  return control;
};

/** Each engine of control data, by its name, and how an empty one is opened; `server`: the PostgreSQL of the test file. */
export const controlEngines = (server: string): [string, (clock: ManualClock) => Promise<ControlStore>][] => [
  ["SQLite", (clock) => sqlite.openTestControl(clock)],
  ["PostgreSQL", async (clock) => openPostgres(clock, await postgres.newSchema(server))],
];

/** Control data whose next transactions are done, but whoever asked is not told: as when a connection is lost, or a process. */
export const forgetful = (control: ControlStore) => {
  let lost = 0;
  const transaction: ControlStore["transaction"] = async (work) => {
    const done = await control.transaction(work);
    if (lost === 0) return done;
    lost--;
    throw new ControlUnavailableError("the answer was lost");
  };
  const lose = (count: number) => {
    lost = count;
  };
  return { control: { ...control, transaction }, lose };
};
