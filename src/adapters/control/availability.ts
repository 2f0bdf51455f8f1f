import { ControlUnavailableError } from "../../ports/control-store.ts";
import type { Telemetry } from "../../ports/telemetry.ts";

/** Remembers whether an engine of control data can be used, counts and tells when not; `engine` as people call it. */
export const createAvailability = (engine: string, { log, metrics }: Telemetry) => {
  const failures = metrics.counter(
    "control_unavailable_total",
    "Statements that control data's engine could not run",
  );
  let failure: string | null = null;
  return {
    /** The error to throw for one of the engine's. */
    unavailable: (reason: string, cause: Error): ControlUnavailableError => {
      failures.add(1);
      if (failure === null) log.error({ engine, reason }, "control_unavailable");
      failure = reason;
      return new ControlUnavailableError(`control data cannot be used: ${reason}`, { cause });
    },
    /** A write has got through. */
    recovered: (): void => {
      if (failure !== null) log.info({ engine }, "control_available");
      failure = null;
    },
    /** In words; null while all is well. */
    get failure(): string | null {
      return failure;
    },
  };
};
export type Availability = ReturnType<typeof createAvailability>;
