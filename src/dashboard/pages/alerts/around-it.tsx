import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { signal as signalQuery } from "../../api/queries.ts";
import { serverClock } from "../../api/server-clock.ts";
import { standsInTheWay } from "../../api/stands-in-the-way.ts";
import type { Alert } from "../../api/types.ts";
import { useUnlessPaused, whileSeen } from "../../app/live.ts";
import { Chart } from "../../chart/chart.tsx";
import { fetchFinest } from "../../chart/history.ts";
import { limitsFiredAt, ruleLimitsOf } from "../../chart/limits.ts";
import type { Range } from "../../chart/range.ts";
import { NotRenewed } from "../../parts/not-renewed.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Soon } from "../../parts/soon.tsx";
import { endedMs, rangeAround } from "./alert-range.ts";
import { why } from "./why-query.ts";

const MOVE_MS = 10_000;
/** A long one is asked for less often: it moves by less than a dot. */
const LONG_MS = 2 * 3_600_000;
const LONG_EVERY_MS = 60_000;

const everyMsOf = ({ fromMs, toMs }: Range): number => (toMs - fromMs > LONG_MS ? LONG_EVERY_MS : MOVE_MS);

/** While an alert goes on, and just after, its range moves on with the time, while somebody looks. */
const useRange = (alert: Alert): Range => {
  const [nowMs, setNow] = useState(() => serverClock.now());
  const range = useMemo(() => rangeAround(alert, nowMs), [alert, nowMs]);
  const everyMs = everyMsOf(range);
  useEffect(() => {
    if (!range.isLive) return;
    return whileSeen(everyMs, () => setNow(serverClock.now()));
  }, [range.isLive, everyMs]);
  return range;
};

const marksOf = ({ pendingSince, firedAt, resolvedAt }: Alert) => [
  ...(pendingSince === null || pendingSince === firedAt
    ? []
    : [{ atMs: Date.parse(pendingSince), label: "first bad" }]),
  ...(firedAt === null ? [] : [{ atMs: Date.parse(firedAt), label: "fired" }]),
  ...(resolvedAt === null ? [] : [{ atMs: Date.parse(resolvedAt), label: "resolved" }]),
];

/** The strength around one alert; another one is for another of these. */
export const AroundIt = ({ alert }: { alert: Alert }) => {
  const { signalId } = alert;
  const signal = useQuery(signalQuery(signalId));
  const { data: { rule } = {} } = useQuery(why(alert));
  const range = useRange(alert);
  const history = useQuery({
    queryKey: ["signals", "history", signalId, range.fromMs, range.isLive ? "now" : range.toMs],
    queryFn: () => fetchFinest(signalId, rangeAround(alert, serverClock.now())),
    placeholderData: keepPreviousData,
    enabled: useUnlessPaused(),
    refetchInterval: range.isLive && everyMsOf(range),
  });
  const spans = useMemo(() => {
    if (alert.firedAt === null) return [];
    return [{ fromMs: Date.parse(alert.firedAt), toMs: endedMs(alert) ?? range.toMs }];
  }, [alert, range.toMs]);
  const marks = useMemo(() => marksOf(alert), [alert]);
  if (standsInTheWay(history) !== null)
    return <Problem error={history.error} retry={() => void history.refetch()} />;
  if (history.data === undefined || signal.data === undefined) return <Soon lines={6} />;
  const { floorDbm, ceilingDbm } = signal.data;
  return (
    <>
      <NotRenewed of={history} />
      <Chart
        history={history.data}
        range={range}
        scale={{ lowDbm: floorDbm, highDbm: ceilingDbm }}
        limits={
          rule === undefined
            ? []
            : ruleLimitsOf(rule.condition, limitsFiredAt(rule, alert.limit, signal.data), signal.data)
        }
        spans={spans}
        marks={marks}
        label="Strength around the alert, a quarter of an hour before and after"
      />
    </>
  );
};
