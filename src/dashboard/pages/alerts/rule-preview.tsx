import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { signalNames, signal as signalQuery, signalsFound } from "../../api/queries.ts";
import { serverClock } from "../../api/server-clock.ts";
import { Chart } from "../../chart/chart.tsx";
import { fetchHistory } from "../../chart/history.ts";
import { ruleLimitsOf } from "../../chart/limits.ts";
import { Choice } from "../../parts/choice.tsx";
import { pairsOf } from "../../parts/pairs.ts";
import { Problem } from "../../parts/problem.tsx";
import { Soon } from "../../parts/soon.tsx";
import { Findings, useBacktest } from "./backtest.tsx";
import { backtestText } from "./backtest-text.ts";
import { limitsTyped, typedOf, withLimit } from "./dragged-limit.ts";
import style from "./rule.module.css";
import type { RuleDraft } from "./rule-draft.ts";
import { ShownOn } from "./shown-on.tsx";
import { rangeShown, TRIED, TRIED_USUAL } from "./tried-span.ts";
import { useTriedSpan } from "./use-tried-span.ts";

/** What there is to say of a try that has not come to anything. */
const untried = ({ error, fetchStatus }: ReturnType<typeof useBacktest>, hasSpan: boolean): string => {
  if (error !== null) return "";
  return hasSpan && fetchStatus === "idle" ? "It is tried once its numbers are given." : "Trying it …";
};

interface PreviewProps {
  readonly draft: RuleDraft;
  readonly change: (part: Partial<RuleDraft>) => void;
  /** The signal that somebody came from. */
  readonly signalId: string | null;
  /** Why the rule cannot be tried, as it could not be saved. */
  readonly refused: (error: unknown) => void;
}

/** The rule on real history: what it would have done, and its limits to be dragged. */
export const RulePreview = ({ draft, change, signalId, refused }: PreviewProps) => {
  const [chosen, setChosen] = useState<string | null>(signalId);
  const [toMs] = useState(() => Math.ceil(serverClock.now() / 60_000) * 60_000);
  const labels = Object.entries(pairsOf(draft.labels)).map(([key, value]) => `${key}:${value}`);
  const listed = useQuery(signalsFound("", labels));
  const first = signalId ?? draft.signalIds[0] ?? listed.data?.signals[0]?.id;
  const [span, setSpan] = useTriedSpan(first ?? (listed.isPending ? undefined : null), toMs);
  const tried = useBacktest(draft, span, toMs);
  useEffect(() => refused(tried.error), [tried.error, refused]);
  const fired = [...new Set((tried.data?.firings ?? []).map((firing) => firing.signalId))].slice(0, 50);
  const offered = [
    ...new Set([
      ...(signalId === null ? [] : [signalId]),
      ...draft.signalIds.slice(0, 50),
      ...fired,
      ...(draft.signalIds.length > 0 ? [] : (listed.data?.signals ?? []).map(({ id }) => id)),
    ]),
  ];
  const shownId = chosen !== null && offered.includes(chosen) ? chosen : (fired[0] ?? offered[0] ?? null);
  const names = useQuery(signalNames(offered));
  const signal = useQuery({ ...signalQuery(shownId ?? ""), enabled: shownId !== null });
  const asked = rangeShown(span ?? TRIED_USUAL, null, toMs);
  const history = useQuery({
    queryKey: ["signals", "history", shownId, asked.fromMs, asked.toMs],
    queryFn: () => fetchHistory(shownId ?? "", asked),
    enabled: shownId !== null && span !== null,
  });
  const spans = useMemo(
    () =>
      (tried.data?.firings ?? [])
        .filter((firing) => firing.signalId === shownId)
        .map(({ from, to }) => ({ fromMs: Date.parse(from), toMs: to === null ? toMs : Date.parse(to) })),
    [tried.data, shownId, toMs],
  );
  const limits = limitsTyped(draft, signal.data?.labels ?? {});
  const hysteresis = draft.hysteresis.trim() === "" ? {} : { hysteresis: Number(draft.hysteresis) };
  const [firstSecond] = history.data?.seconds ?? [];
  const range = rangeShown(span ?? TRIED_USUAL, firstSecond === undefined ? null : firstSecond * 1_000, toMs);
  return (
    <section className={style.preview} aria-label="The rule on the past">
      <div className={style.above}>
        <Choice legend="How far back it is tried" name="span" values={TRIED} chosen={span} choose={setSpan} />
        <ShownOn ids={offered} shownId={shownId} names={names.data} choose={setChosen} />
      </div>
      <p className={style.result} role="status" data-stale={tried.isPlaceholderData || tried.error !== null}>
        {tried.data === undefined ? untried(tried, span !== null) : backtestText(tried.data)}
      </p>
      {tried.error !== null && <Problem error={tried.error} retry={() => void tried.refetch()} />}
      {shownId !== null && (history.data === undefined || signal.data === undefined) && <Soon lines={6} />}
      {history.error !== null && <Problem error={history.error} retry={() => void history.refetch()} />}
      {history.data !== undefined && signal.data !== undefined && (
        <Chart
          history={history.data}
          range={range}
          scale={{ lowDbm: signal.data.floorDbm, highDbm: signal.data.ceilingDbm }}
          limits={ruleLimitsOf(
            { metric: draft.metric, operator: draft.operator, ...hysteresis },
            limits,
            signal.data,
          )}
          spans={spans}
          drag={(place, dbm) => {
            const limit = limits[place];
            if (limit !== undefined)
              change(withLimit(draft, limits, limit, typedOf(draft, dbm, signal.data)));
          }}
          label="History, and when the rule would have fired"
        />
      )}
      {tried.data !== undefined && (
        <Findings tried={tried.data} names={names.data ?? new Map()} change={change} />
      )}
    </section>
  );
};
