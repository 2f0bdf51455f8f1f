import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import { signal } from "../../api/queries.ts";
import { serverClock } from "../../api/server-clock.ts";
import { standsInTheWay } from "../../api/stands-in-the-way.ts";
import { useUnlessPaused } from "../../app/live.ts";
import { renewOwn } from "../../app/own-change.ts";
import { say } from "../../app/toasts.tsx";
import { dbmText, decimalText, numberText } from "../../app/words.ts";
import { type Range, type RangeAsked, rangeOf } from "../../chart/range.ts";
import { Button } from "../../parts/button.tsx";
import { NotRenewed } from "../../parts/not-renewed.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Soon } from "../../parts/soon.tsx";
import { Told } from "../../parts/told.tsx";
import style from "./analysis.module.css";

const share = (value: number | null): string =>
  value === null ? "–" : `${(value * 100).toFixed(value === 1 ? 0 : 2)} %`;
const duration = (seconds: number): string =>
  seconds < 90
    ? `${Math.round(seconds)} s`
    : seconds < 5_400
      ? `${Math.round(seconds / 60)} min`
      : `${(seconds / 3_600).toFixed(1)} h`;
/** By the minute, where there are no readings of more than an hour: by the hour it would be a forecast. */
const trendText = (dbPerHour: number | null, hours: number): string => {
  if (dbPerHour === null) return "–";
  return hours > 2 ? `${decimalText(dbPerHour, 2)} dB/h` : `${decimalText(dbPerHour / 60, 2)} dB/min`;
};
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Longer spans have more hours than are given. */
const HOURLY_MAX_MS = 80 * DAY_MS;

/** Live spans are analysed anew so often; while they have no reading yet, soon. */
const EVERY_MS = MINUTE_MS;
const SOON_MS = 5_000;

const analyse = ({ fromMs, toMs }: Range, id: string) =>
  api.post("/v1/signals/analyze", {
    body: {
      signalIds: [id],
      from: new Date(fromMs).toISOString(),
      to: new Date(toMs).toISOString(),
      step: toMs - fromMs > HOURLY_MAX_MS ? "1d" : "1h",
    },
  });

const Figures = ({ figures }: { figures: readonly (readonly [string, string])[] }) => (
  <dl className={style.figures}>
    {figures.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);

interface AnalysisProps {
  readonly id: string;
  readonly asked: RangeAsked;
  readonly mayChange: boolean;
}

/** What the readings of the span say, and what they recommend to change. */
export const AnalysisOf = ({ id, asked, mayChange }: AnalysisProps) => {
  const queries = useQueryClient();
  const isLive = asked.from === undefined;
  const found = useQuery({
    queryKey: ["signals", "analysis", id, asked],
    queryFn: () => analyse(rangeOf(asked, serverClock.now()), id),
    placeholderData: keepPreviousData,
    staleTime: EVERY_MS,
    enabled: useUnlessPaused(),
    refetchInterval: ({ state: { data } }) => isLive && (data?.analyses[0]?.count === 0 ? SOON_MS : EVERY_MS),
    gcTime: 30_000,
  });
  const patch = async (body: object): Promise<void> => {
    await api.patch("/v1/signals/{id}", { params: { path: { id } }, body });
    await renewOwn(queries, ["signals"], signal(id).queryKey);
  };
  const accept = useMutation({
    mutationFn: async (change: object) => {
      const before = Object.entries(await queries.fetchQuery(signal(id))).filter(([key]) => key in change);
      await patch(change);
      say("The signal is changed.", () => patch(Object.fromEntries(before)));
    },
  });
  const { data } = found;
  const problem = standsInTheWay(found);
  if (problem !== null) return <Problem error={problem} retry={() => void found.refetch()} />;
  if (data === undefined) return <Soon />;
  const [analysis] = data.analyses;
  if (analysis === undefined) return null;
  const { strength, failures, availability, count, trendDbPerHour, gaps, recommendations, series } = analysis;
  const hours = "buckets" in series ? series.buckets.length : 0;
  return (
    <>
      <NotRenewed of={found} />
      <Figures
        figures={[
          ["Readings", numberText(count)],
          ["Available", share(availability)],
          ["Median", dbmText(strength?.p50 ?? null)],
          ["5 % are below", dbmText(strength?.p5 ?? null)],
          ["Trend", trendText(trendDbPerHour, hours)],
          [
            "Failures",
            `${failures.count}${failures.count > 0 ? `, longest ${duration(failures.longestSeconds)}` : ""}`,
          ],
          ["Gaps", String(gaps.length)],
        ]}
      />
      {recommendations.length > 0 && (
        <ul className={style.advice}>
          {recommendations.map(({ kind, message, change, events }) => (
            <li key={`${kind} ${message}`}>
              <p>
                <Told text={message} />
                {events !== undefined && ` Events: ${events.before} → ${events.after}.`}
              </p>
              {change !== undefined && mayChange && (
                <Button disabled={accept.isPending} onClick={() => accept.mutate(change)}>
                  Change it
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {accept.error !== null && <Problem error={accept.error} />}
    </>
  );
};
