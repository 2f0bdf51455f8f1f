import type { Clock, Entropy } from "../../ports/clock.ts";
import type { Intake } from "../intake.ts";
import type { IngestSettings } from "../settings.ts";
import type { SourceFlow } from "../source-flow.ts";

/** Where a source tells how it is; the runner keeps it and tells the world. */
export interface SourceReport {
  connecting(): void;
  connected(): void;
  /** Not connected, for a `reason` in words; trying again after `delayMs`. */
  waiting(reason: string, delayMs: number): void;
  /** Cannot work until its settings change. */
  failed(reason: string): void;
  reconnecting(): void;
}

/** What every kind of source is made with. */
export interface SourceContext {
  readonly intake: Intake;
  readonly flow: SourceFlow;
  readonly report: SourceReport;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly settings: IngestSettings;
  /** An error nobody foresaw, in code that an event called: told, and the source goes on. */
  readonly fault: (error: unknown, where: string) => void;
}

/** A running source: resolves once `signal` has aborted and everything it opened is closed. */
export type RunSource = (context: SourceContext, signal: AbortSignal) => Promise<void>;
