import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { api } from "../../api/client.ts";
import { serverClock } from "../../api/server-clock.ts";
import { useUnlessPaused } from "../../app/live.ts";
import { type Counted, gapMsOfSteps, stretchesOf } from "../../chart/gaps.ts";
import style from "./signal-table.module.css";

const WIDTH = 120;
const HEIGHT = 24;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** Rows that are only scrolled past ask for nothing. */
const REST_MS = 250;

interface Scale {
  readonly floorDbm: number;
  readonly ceilingDbm: number;
}

/** The last hour by the minute, one line for each stretch without a gap. */
const linesOf = (points: readonly (Counted & { readonly mean: number })[], fromMs: number, scale: Scale) =>
  stretchesOf(points, gapMsOfSteps(points, MINUTE_MS)).map((stretch) => {
    const places = stretch.map(({ atMs, mean }) => {
      const x = ((atMs - fromMs) / HOUR_MS) * WIDTH;
      const share = (mean - scale.floorDbm) / (scale.ceilingDbm - scale.floorDbm);
      const y = HEIGHT - Math.min(1, Math.max(0, share)) * HEIGHT;
      return `${x.toFixed(1)},${y.toFixed(1)}`;
    });
    // A line from a point to itself is drawn as a dot, and one of a single point not at all.
    return (places.length === 1 ? [...places, ...places] : places).join(" ");
  });

export const Sparkline = ({ id, scale }: { id: string; scale: Scale }) => {
  const [isResting, setResting] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setResting(true), REST_MS);
    return () => clearTimeout(timer);
  }, []);
  const mayAsk = useUnlessPaused();
  const { data } = useQuery({
    queryKey: ["signals", "sparkline", id],
    queryFn: async () => {
      const toMs = serverClock.now();
      const answer = await api.get("/v1/signals/{id}/readings", {
        params: {
          path: { id },
          query: { from: new Date(toMs - HOUR_MS).toISOString(), step: "1m", limit: 100 },
        },
      });
      const points =
        answer.step === "raw"
          ? []
          : answer.buckets.map(({ at, count, mean }) => ({ atMs: Date.parse(at), count, mean }));
      return { fromMs: toMs - HOUR_MS, points };
    },
    enabled: (query) => isResting && mayAsk(query),
    staleTime: MINUTE_MS,
    refetchInterval: MINUTE_MS,
  });
  if (data === undefined) return null;
  return (
    <svg className={style.sparkline} viewBox={`0 -1 ${WIDTH} ${HEIGHT + 2}`} aria-hidden="true">
      {linesOf(data.points, data.fromMs, scale).map((line) => (
        <polyline key={line} points={line} />
      ))}
    </svg>
  );
};
