import type { Remedy } from "../../../schemas/backtest.ts";
import type { SignalId } from "../../../schemas/common.ts";
import type { Flapping } from "../../domain/backtest/findings.ts";
import { Remedies } from "../../domain/backtest/remedies.ts";
import type { Clock } from "../../ports/clock.ts";
import type { TimeSeries } from "../../ports/time-series.ts";
import type { Tested } from "./backtest-answer.ts";
import { type Bounds, streamLines } from "./stream-lines.ts";

/** Flapping signals for which remedies are looked for. */
const SIGNALS_MAX = 5;

interface Parts {
  readonly timeSeries: TimeSeries;
  readonly clock: Clock;
}

const remediesOf = async (
  parts: Parts,
  { rule, signals, span }: Tested,
  { signalId, firstMs }: Flapping,
  bounds: Bounds,
): Promise<Remedy[]> => {
  const definition = signals.get(signalId);
  if (definition === undefined) return [];
  const remedies = new Remedies(definition, rule);
  const fromMs = Math.max(span.fromMs, firstMs - rule.forSeconds * 1000);
  const query = { signalIds: [signalId], fromMs, toMs: span.toMs };
  const isEnough = () => remedies.isEnough || bounds.isEnough();
  await streamLines(parts, query, remedies, { ...bounds, isEnough });
  return remedies.found();
};

/** What would calm the rule on the signals where it flaps most. */
export const findRemedies = async (
  parts: Parts,
  tested: Tested,
  bounds: Bounds,
): Promise<ReadonlyMap<SignalId, Remedy[]>> => {
  const found = new Map<SignalId, Remedy[]>();
  for (const flapping of tested.findings.flapping.slice(0, SIGNALS_MAX)) {
    if (bounds.isEnough()) break;
    found.set(flapping.signalId, await remediesOf(parts, tested, flapping, bounds));
  }
  return found;
};
