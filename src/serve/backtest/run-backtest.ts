import {
  BACKTEST_READINGS_MAX,
  type BacktestAnswer,
  type BacktestRequest,
} from "../../../schemas/backtest.ts";
import type { AccountId, SignalId } from "../../../schemas/common.ts";
import { Backtest } from "../../domain/backtest/backtest.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Repositories } from "../../ports/control-store.ts";
import type { HoursCounted, TimeSeries } from "../../ports/time-series.ts";
import { ruleWarnings } from "../alerts/rule-warnings.ts";
import { validationFailed } from "../problem.ts";
import { pastSpan, ruleUnderTest } from "./asked.ts";
import { backtestAnswer, type Tested } from "./backtest-answer.ts";
import { findRemedies } from "./find-remedies.ts";
import { selectedSignals } from "./selected-signals.ts";
import { streamLines } from "./stream-lines.ts";

/** Less than the 30 s for which a client waits. */
const TIME_MAX_MS = 25_000;

export interface BacktestParts {
  readonly control: Pick<Repositories, "alertMails" | "signals" | "rules" | "webhooks">;
  readonly timeSeries: TimeSeries;
  readonly clock: Clock;
}

const shown = new Intl.NumberFormat("en-US");

const checkCount = ({ touched }: HoursCounted, signals: number): void => {
  if (touched <= BACKTEST_READINGS_MAX) return;
  const found = `holds about ${shown.format(touched)} readings of ${shown.format(signals)} signals`;
  const message = `${found}; at most ${shown.format(BACKTEST_READINGS_MAX)} are tested at once: take a shorter span, or fewer signals`;
  throw validationFailed([{ path: "from", message }]);
};

/** Tries a rule on what is stored; ends with the reason of `stop`. */
export const runBacktest = async (
  parts: BacktestParts,
  accountId: AccountId,
  request: BacktestRequest,
  stop: AbortSignal,
): Promise<BacktestAnswer> => {
  const { control, timeSeries, clock } = parts;
  const nowMs = clock.now();
  const span = pastSpan(request, nowMs);
  const rule = await ruleUnderTest(control.rules, accountId, request, nowMs);
  const path = request.rule === undefined ? "ruleId" : "rule.select";
  const signals = await selectedSignals(control.signals, accountId, rule, path);
  const query = { signalIds: [...signals.values()].map(({ id }): SignalId => id), ...span };
  const hours = await timeSeries.countHours(query);
  checkCount(hours, signals.size);
  const deadline = clock.monotonic() + TIME_MAX_MS;
  const isLate = () => clock.monotonic() > deadline;
  const run = new Backtest({ rule, signals, toMs: span.toMs });
  const isEnough = () => isLate() || run.findings.readings >= BACKTEST_READINGS_MAX;
  const isWhole = await streamLines(parts, query, run, { stop, isEnough });
  run.finish(isWhole);
  const tested: Tested = { rule, signals, span, hours, isWhole, findings: run.findings };
  const remedies = await findRemedies(parts, tested, { stop, isEnough: isLate });
  const warnings = (await ruleWarnings(control, accountId, rule, nowMs)).map(({ path: of, message }) => ({
    path: request.rule === undefined ? of : `rule.${of}`,
    message,
  }));
  return backtestAnswer(tested, remedies, warnings);
};
