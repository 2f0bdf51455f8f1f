import type { Clock, Entropy } from "../ports/clock.ts";
import type { ControlStore } from "../ports/control-store.ts";
import type { EventLog } from "../ports/event-log.ts";
import type { Logger } from "../ports/telemetry.ts";
import type { EvaluateMetrics } from "./metrics.ts";
import type { EvaluateSettings } from "./settings.ts";

/** What the parts of the worker share. */
export interface EvaluateContext {
  readonly log: EventLog;
  readonly control: Pick<ControlStore, "snapshots">;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly logger: Logger;
  readonly metrics: EvaluateMetrics;
  readonly settings: EvaluateSettings;
}
