import type { BacktestAnswer, BacktestFiring, Remedy } from "../../../schemas/backtest.ts";
import type { SignalDefinition } from "../../../schemas/change.ts";
import type { SignalId } from "../../../schemas/common.ts";
import type { Rule } from "../../../schemas/rule.ts";
import { approximations } from "../../domain/backtest/approximations.ts";
import type { Findings } from "../../domain/backtest/findings.ts";
import type { HoursCounted } from "../../ports/time-series.ts";
import { timestamp } from "../answers.ts";

/** A backtest that has come to its end, or as far as it came. */
export interface Tested {
  readonly rule: Rule;
  readonly signals: ReadonlyMap<string, SignalDefinition>;
  readonly span: { readonly fromMs: number; readonly toMs: number };
  readonly hours: HoursCounted;
  readonly isWhole: boolean;
  readonly findings: Findings;
}

const toldOf = ({ rule, signals, span, hours, isWhole, findings }: Tested): string[] => {
  const all = [...signals.values()];
  const { read, readings } = findings;
  return approximations(findings, {
    rule,
    selected: signals.size,
    paused: all.filter(({ paused }) => paused).length,
    changed: all.filter(({ updatedAt }) => updatedAt > span.fromMs).length,
    expired: isWhole ? Math.max(0, hours.whole - readings) : 0,
    stopped: isWhole ? null : `It took too long, and ended with signal ${read} of ${signals.size}`,
  });
};

const firingAnswer = (firing: Findings["firings"][number]): BacktestFiring => {
  const { signalId, fromMs, toMs, severity, worst, steps } = firing;
  return {
    signalId,
    from: timestamp(fromMs),
    to: toMs === null ? null : timestamp(toMs),
    severity,
    worst: Number.isNaN(worst) ? null : worst,
    steps: steps.map(({ atMs, ...step }) => ({ at: timestamp(atMs), ...step })),
    stepCount: firing.stepsUp + firing.stepsDown,
  };
};

export const backtestAnswer = (
  tested: Tested,
  remedies: ReadonlyMap<SignalId, readonly Remedy[]>,
  warnings: BacktestAnswer["warnings"],
): BacktestAnswer => {
  const { signals, span, findings } = tested;
  const approximated = toldOf(tested);
  return {
    from: timestamp(span.fromMs),
    to: timestamp(span.toMs),
    firings: findings.firings.map(firingAnswer),
    summary: {
      firings: findings.firingCount,
      severities: findings.severities,
      stepsUp: findings.stepsUp,
      stepsDown: findings.stepsDown,
      signals: findings.fired,
      selected: signals.size,
      readings: findings.readings,
      flapping: findings.flapping.map(({ signalId, changes }) => ({
        signalId,
        changes,
        remedies: [...(remedies.get(signalId) ?? [])],
      })),
    },
    ...(approximated.length === 0 ? {} : { approximated }),
    warnings,
  };
};
