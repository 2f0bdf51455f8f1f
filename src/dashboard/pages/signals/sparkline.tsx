import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { api } from "../../api/client.ts";
import { serverClock } from "../../api/server-clock.ts";
import { useUnlessPaused } from "../../app/live.ts";
import style from "./signal-table.module.css";
import { HEIGHT, HOUR_MS, MINUTE_MS, shapesOf, WIDTH } from "./sparkline-shapes.ts";

/** Rows that are only scrolled past ask for nothing. */
const REST_MS = 250;

interface SparklineProps {
  readonly id: string;
  readonly floorDbm: number;
  readonly ceilingDbm: number;
}

/** The last hour of a signal: from the least to the greatest of each minute, and the mean. */
export const Sparkline = ({ id, floorDbm, ceilingDbm }: SparklineProps) => {
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
          : answer.buckets.map(({ at, ...minute }) => ({ atMs: Date.parse(at), ...minute }));
      return { fromMs: toMs - HOUR_MS, points };
    },
    enabled: (query) => isResting && mayAsk(query),
    staleTime: MINUTE_MS,
    refetchInterval: MINUTE_MS,
  });
  const shapes = useMemo(
    () => (data === undefined ? [] : shapesOf(data.points, data.fromMs, { floorDbm, ceilingDbm })),
    [data, floorDbm, ceilingDbm],
  );
  if (data === undefined) return null;
  return (
    <svg className={style.sparkline} viewBox={`0 -1 ${WIDTH} ${HEIGHT + 2}`} aria-hidden="true">
      {shapes.map(({ line, band }) => (
        <g key={line}>
          <polygon points={band} />
          <polyline points={line} />
        </g>
      ))}
    </svg>
  );
};
