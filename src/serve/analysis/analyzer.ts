import { Semaphore } from "async-mutex";
import { ANALYSIS_SIGNALS_MAX, type AnalyzeAnswer, type AnalyzeRequest } from "../../../schemas/analysis.ts";
import type { AccountId, Labels } from "../../../schemas/common.ts";
import type { Signals, StoredSignal } from "../../ports/control-store.ts";
import type { Telemetry } from "../../ports/telemetry.ts";
import { notFound, ProblemError, validationFailed } from "../problem.ts";
import { analyzeSent } from "./sent.ts";
import { analyzeStored, type StoredParts } from "./stored.ts";

/** Analyses take time of both cores: the feed of readings must not wait for many at once. */
const AT_ONCE = 2;
const WAITING_MAX = 50;

export type Analyze = (accountId: AccountId, request: AnalyzeRequest) => Promise<AnalyzeAnswer>;

interface AnalyzerParts extends StoredParts {
  readonly control: { readonly signals: Signals };
  readonly telemetry: Telemetry;
}

const matches = ({ definition }: StoredSignal, labels: Labels): boolean =>
  Object.entries(labels).every(([key, value]) => definition.labels[key] === value);

const subjectsOf = async (
  signals: Signals,
  accountId: AccountId,
  { signalIds, labels = {} }: AnalyzeRequest,
): Promise<StoredSignal[]> => {
  if (signalIds === undefined) {
    const limit = ANALYSIS_SIGNALS_MAX + 1;
    const { items } = await signals.list(accountId, { labels, sort: "name", limit });
    if (items.length < limit) return [...items];
    throw validationFailed([{ path: "labels", message: `match more than ${ANALYSIS_SIGNALS_MAX} signals` }]);
  }
  const subjects: StoredSignal[] = [];
  for (const id of new Set(signalIds)) {
    const stored = await signals.get(accountId, id);
    if (stored === null) throw notFound(`signal ${id}`);
    if (matches(stored, labels)) subjects.push(stored);
  }
  return subjects;
};

/** Analyses of stored history or of readings sent along, two at a time; beyond 50 that wait, `rate_limited`. */
export const createAnalyzer = (parts: AnalyzerParts): Analyze => {
  const { control, telemetry } = parts;
  const turns = new Semaphore(AT_ONCE);
  const gauge = telemetry.metrics.gauge("analyses_waiting", "Analyses that wait for their turn, or run.");
  let waiting = 0;
  const run: Analyze = async (accountId, request) => {
    const subjects = await (request.readings !== undefined && request.signalIds === undefined
      ? []
      : subjectsOf(control.signals, accountId, request));
    if (request.readings === undefined)
      return { analyses: await analyzeStored(parts, accountId, subjects, request) };
    return { analyses: [await analyzeSent(parts.clock, request, request.readings, subjects[0] ?? null)] };
  };
  return async (accountId, request) => {
    if (waiting >= WAITING_MAX + AT_ONCE)
      throw new ProblemError("rate_limited", "too many analyses are waiting", {
        headers: { "Retry-After": "1" },
      });
    gauge.set(++waiting);
    try {
      return await turns.runExclusive(() => run(accountId, request));
    } finally {
      gauge.set(--waiting);
    }
  };
};
