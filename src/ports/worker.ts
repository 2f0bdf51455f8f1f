export type HealthState = "ok" | "degraded" | "down";

/** One line of `GET /health/ready`: what it is, how it is, and what to do if it is not well. */
export interface Health {
  readonly name: string;
  readonly state: HealthState;
  readonly detail: string | null;
}

/** A started worker. `stop` drains, awaits every background task it owns, and is safe to call twice. */
export interface RunningWorker {
  readonly name: "ingest" | "evaluate" | "record" | "deliver" | "serve";
  health(): Health[];
  stop(): Promise<void>;
}
