import { useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { rules } from "../../api/queries.ts";
import { serverClock } from "../../api/server-clock.ts";
import type { Signal } from "../../api/types.ts";
import { live, useLive, whileSeen } from "../../app/live.ts";
import { Chart } from "../../chart/chart.tsx";
import { fetchReadings, filled, type History, type LivePoint, withLive } from "../../chart/history.ts";
import { limitsOf, limitsOnSignal } from "../../chart/limits.ts";
import type { Range, RangeAsked } from "../../chart/range.ts";
import { HistoryTable } from "./history-table.tsx";
import { rulesOn } from "./rules-on.ts";
import { RulesOnIt } from "./rules-on-it.tsx";

/** A chart need not be drawn more often than eyes follow. */
const DRAW_EVERY_MS = 1_000;
/** History is asked for anew long before so many have come. */
const KEPT = 3_000;

/** What came last is stored a little later. */
const STORED_AFTER_MS = 3_000;

/**
 * What has come of a signal since the page was opened, past what history has. A lost connection leaves a gap, and so does
 * a pause; history fills it.
 */
const useLivePoints = (id: string): (() => readonly LivePoint[]) => {
  const points = useRef<LivePoint[]>([]);
  const breaks = useRef(live.breaks);
  const fill = useCallback(
    (fromMs: number, toMs: number) => {
      const ask = async () => {
        // While it cannot be asked for, the gap stays what it is.
        const readings = await fetchReadings(id, fromMs, toMs).catch(() => null);
        if (readings !== null) points.current = filled(points.current, readings, { fromMs, toMs });
      };
      setTimeout(() => void ask(), STORED_AFTER_MS);
    },
    [id],
  );
  const draw = useCallback(() => {
    const place = live.placeOf(id);
    if (place === null) return;
    const { at, strength } = live.view;
    const atMs = at[place] ?? 0;
    const last = points.current.at(-1);
    if (atMs <= (last?.atMs ?? 0)) return;
    if (last !== undefined && live.breaks !== breaks.current) {
      points.current.push({ atMs: (last.atMs + atMs) / 2, strength: null });
      fill(last.atMs, atMs);
    }
    breaks.current = live.breaks;
    points.current.push({ atMs, strength: strength[place] ?? 0 });
    if (points.current.length > KEPT) points.current.shift();
  }, [id, fill]);
  useLive(draw);
  return useCallback(() => points.current, []);
};

interface ChartProps {
  readonly signal: Signal;
  readonly history: History;
  readonly range: Range;
  readonly change: (asked: RangeAsked) => void;
}

/** The history of a signal, which goes on with what comes where its range ends now. */
export const SignalChart = ({ signal, history, range, change }: ChartProps) => {
  const points = useLivePoints(signal.id);
  const [nowMs, setNow] = useState(() => serverClock.now());
  const { isLive } = range;
  useEffect(() => {
    if (!isLive) return;
    return whileSeen(DRAW_EVERY_MS, () => setNow(serverClock.now()));
  }, [isLive]);
  const shown = useMemo(
    () =>
      isLive
        ? withLive(
            history,
            points().filter(({ atMs }) => atMs <= nowMs),
          )
        : history,
    [isLive, history, points, nowMs],
  );
  const found = useQuery(rules);
  const looking = useMemo(() => rulesOn(found.data ?? [], signal), [found.data, signal]);
  const { scale, limits } = limitsOf(signal);
  const lagMs = isLive ? Math.max(0, nowMs - range.toMs) : 0;
  return (
    <>
      <Chart
        history={shown}
        loaded={history}
        range={{ fromMs: range.fromMs + lagMs, toMs: range.toMs + lagMs }}
        scale={scale}
        limits={[...limits, ...looking.shown.flatMap((rule) => limitsOnSignal(rule, signal))]}
        choose={(fromMs, toMs) =>
          change({ from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() })
        }
      />
      <RulesOnIt rules={looking} />
      <HistoryTable history={shown} />
    </>
  );
};
