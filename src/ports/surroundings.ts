import type { Clock, Entropy } from "./clock.ts";
import type { Telemetry } from "./telemetry.ts";

/** What every part is given: time, chance, and a way to tell. */
export interface Surroundings {
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly telemetry: Telemetry;
}
