import { FlowAnnouncer } from "../../intake/flow-announcer.ts";
import { PromptIntake } from "../../intake/prompt-intake.ts";
import { INTAKE_DEFAULTS, type IntakeSettings } from "../../intake/settings.ts";
import type { ControlStore } from "../../ports/control-store.ts";
import type { EventLog } from "../../ports/event-log.ts";
import type { Surroundings } from "../../ports/surroundings.ts";
import { PushPauses } from "./push-pauses.ts";
import { Pushes } from "./pushes.ts";

const STOP_TIMEOUT_MS = 2_000;

export interface PushOptions extends Surroundings {
  readonly log: EventLog;
  readonly control: ControlStore;
  readonly settings: { readonly intake?: Partial<IntakeSettings> };
}

/** The way of readings that come by the API. What it stops in its order: what is taken, its counts, what is told. */
export const startPushes = (options: PushOptions) => {
  const { log, control, clock, entropy, telemetry } = options;
  const settings = { ...INTAKE_DEFAULTS, ...options.settings.intake };
  const intake = new PromptIntake({ ...options, signals: control.signals, settings });
  const announcer = new FlowAnnouncer({ log, clock, entropy, logger: telemetry.log });
  const pauses = new PushPauses(announcer, clock);
  const pushes = new Pushes({ intake, control, pauses, clock, telemetry });
  const stop = async () => {
    await intake.stop();
    await pushes.stop();
    const deadline = new AbortController();
    const cancel = clock.after(STOP_TIMEOUT_MS, () => deadline.abort(new Error("stop timed out")));
    await pauses.stop(deadline.signal);
    cancel();
  };
  return { intake, pushes, stop };
};
