/** Where the two clocks stand: the readings' own time of a signal, and the append time of the record. Unix ms. */
export interface Moment {
  readonly at: number;
  readonly record: number;
}

/** Whether either clock has moved by so much, each against itself. */
export const hasPassed = (since: Moment, now: Moment, ms: number): boolean =>
  now.at - since.at >= ms || now.record - since.record >= ms;

/** One level of a rule on a signal. */
export type Machine =
  | { readonly phase: "idle" }
  | { readonly phase: "pending"; readonly since: Moment }
  | { readonly phase: "firing" }
  | { readonly phase: "clearing"; readonly since: Moment };

export interface Waits {
  readonly forMs: number;
  readonly keepFiringForMs: number;
}

/** What a value says to a level; in the band of the hysteresis it says neither. */
export interface Verdict {
  readonly fires: boolean;
  readonly clears: boolean;
}

export const IDLE: Machine = { phase: "idle" };

/** After a value was compared. */
export const compared = (machine: Machine, verdict: Verdict, now: Moment, waits: Waits): Machine => {
  switch (machine.phase) {
    case "idle":
      if (!verdict.fires) return machine;
      return waits.forMs > 0 ? { phase: "pending", since: now } : { phase: "firing" };
    case "pending":
      return verdict.fires ? machine : IDLE;
    case "firing":
      if (!verdict.clears) return machine;
      return waits.keepFiringForMs > 0 ? { phase: "clearing", since: now } : IDLE;
    case "clearing":
      return verdict.clears ? machine : { phase: "firing" };
  }
};

/** After time has passed. */
export const passed = (machine: Machine, now: Moment, waits: Waits): Machine => {
  if (machine.phase === "pending" && hasPassed(machine.since, now, waits.forMs)) return { phase: "firing" };
  if (machine.phase === "clearing" && hasPassed(machine.since, now, waits.keepFiringForMs)) return IDLE;
  return machine;
};

/** Whether an alert has this level: it fires, or has not been over for long enough. */
export const holdsAlert = ({ phase }: Machine): boolean => phase === "firing" || phase === "clearing";
