import type { Change, SignalDefinition } from "../../../schemas/change.ts";
import type { Signal } from "../../../schemas/signal.ts";
import type { ReferenceAccount } from "./account.ts";
import { leave } from "./alerts.ts";
import { lookAnew } from "./looking.ts";
import { byId, newSignal, type SignalState } from "./state.ts";
import type { Step } from "./step.ts";
import { thresholdVerdict, tooWeakSince } from "./values.ts";

const SETTINGS = [
  "name",
  "externalId",
  "labels",
  "threshold",
  "floorDbm",
  "ceilingDbm",
  "hysteresis",
  "noDataAfterSeconds",
  "sourceId",
] as const;
const LIMITS = ["threshold", "hysteresis", "floorDbm", "ceilingDbm"] as const;
const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
const differing = <K extends keyof SignalDefinition>(
  keys: readonly K[],
  a: SignalDefinition,
  b: SignalDefinition,
): K[] => keys.filter((key) => !isSame(a[key], b[key]));

export const applySignal = (account: ReferenceAccount, definition: SignalDefinition): void => {
  if (account.deletedSignals.has(definition.id)) return;
  const known = account.signal(definition.id);
  if (known === undefined) createSignal(account, definition);
  else if (definition.revision > known.definition.revision) changeSignal(account, known, definition);
};

const changeSignal = (account: ReferenceAccount, known: SignalState, definition: SignalDefinition): void => {
  const old = known.definition;
  const step = account.newStep(known);
  known.definition = definition;
  if (definition.paused) rest(step);
  else if (old.paused) known.silenceMs = 0;
  lookAnew(account, step);
  if (!definition.paused && !old.paused) judgeAnew(step, old);
  const changed: Partial<Signal> = Object.fromEntries(
    differing(SETTINGS, old, definition).map((key) => [key, old[key]]),
  );
  account.events.push(...step.end(changed));
};

const createSignal = (account: ReferenceAccount, definition: SignalDefinition): void => {
  const signal = newSignal(definition);
  account.addSignal(signal);
  const step = account.newStep(signal);
  lookAnew(account, step);
  step.tell("signal.created");
  account.events.push(...step.end());
};

/** A paused signal has no alerts and no reasons. */
const rest = (step: Step): void => {
  step.signal.tooWeak = null;
  step.signal.silent = null;
};

/** Other limits judge the newest strength afresh; another interval, the silence. */
const judgeAnew = ({ signal, recordMs }: Step, old: SignalDefinition): void => {
  const { definition, newest, tooWeak, silent } = signal;
  if (newest !== null && differing(LIMITS, old, definition).length > 0) {
    const { fires } = thresholdVerdict(signal);
    signal.tooWeak = fires ? (tooWeak ?? tooWeakSince(signal, recordMs)) : null;
  }
  const { noDataAfterSeconds } = definition;
  if (
    silent !== null &&
    (typeof noDataAfterSeconds !== "number" || signal.silenceMs < noDataAfterSeconds * 1000)
  )
    signal.silent = null;
};

export const deleteSignal = (
  account: ReferenceAccount,
  { signalId }: Extract<Change, { type: "signalDeleted" }>,
): void => {
  const signal = account.signal(signalId);
  account.removeSignal(signalId);
  if (signal === undefined) return;
  const step = account.newStep(signal);
  for (const watch of byId(signal.watches)) leave(step, watch, "signalDeleted");
  rest(step);
  account.events.push(...step.endDeleted());
};
