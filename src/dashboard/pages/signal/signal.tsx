import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useCallback, useEffect, useRef, useState } from "react";
import { signal } from "../../api/queries.ts";
import { serverClock } from "../../api/server-clock.ts";
import { standsInTheWay } from "../../api/stands-in-the-way.ts";
import { live, useLiveAges, useUnlessPaused, whileSeen } from "../../app/live.ts";
import { useMayChange } from "../../app/roles.ts";
import { ageText, dbmText, qualityText } from "../../app/words.ts";
import { fetchHistory } from "../../chart/history.ts";
import { type Range, type RangeAsked, rangeOf } from "../../chart/range.ts";
import { NEVER_MS } from "../../live/messages.ts";
import { buttonClass } from "../../parts/button.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { NotRenewed } from "../../parts/not-renewed.tsx";
import { Card, Page } from "../../parts/page.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Soon } from "../../parts/soon.tsx";
import { StatusMark } from "../../parts/status.tsx";
import { AnalysisOf } from "./analysis.tsx";
import { Happened } from "./happened.tsx";
import { Monitoring } from "./monitoring.tsx";
import { RangeBar } from "./range-bar.tsx";
import style from "./signal.module.css";
import { SignalChart } from "./signal-chart.tsx";
import { SignalSettings } from "./signal-settings.tsx";

/** A chart has about so many steps: it moves on by one. */
const STEPS = 200;
const MOVE_MIN_MS = 1_000;

const stepMs = ({ fromMs, toMs }: Range): number => Math.max(MOVE_MIN_MS, (toMs - fromMs) / STEPS);

/** A span that ends now moves on with the time, while somebody looks. */
const useRange = (asked: RangeAsked): Range => {
  const what = JSON.stringify([asked.last, asked.from, asked.to]);
  const [now, setNow] = useState(() => ({ what, ms: serverClock.now() }));
  // What is asked for anew ends now, and not when the range before it was last moved on.
  if (now.what !== what) setNow({ what, ms: serverClock.now() });
  const range = rangeOf(asked, now.ms);
  const everyMs = stepMs(range);
  useEffect(() => {
    if (asked.from !== undefined) return;
    return whileSeen(everyMs, () => setNow({ what, ms: serverClock.now() }));
  }, [asked.from, what, everyMs]);
  return range;
};

const Newest = ({ id }: { id: string }) => {
  const element = useRef<HTMLSpanElement>(null);
  const draw = useCallback(() => {
    const place = live.placeOf(id);
    const { view } = live;
    if (element.current === null || place === null || view.at[place] === NEVER_MS) return;
    const [strength, quality, at] = [view.strength[place], view.quality[place], view.at[place]];
    element.current.textContent = `${dbmText(strength ?? null)} · ${qualityText(quality ?? null)} · ${ageText(at ?? 0)}`;
  }, [id]);
  useLiveAges(draw);
  return <span ref={element} className={style.newest} />;
};

const OneSignal = ({ id }: { id: string }) => {
  const asked = useSearch({ from: "/signals/$id" });
  const navigate = useNavigate({ from: "/signals/$id" });
  const range = useRange(asked);
  const mayChange = useMayChange();
  const found = useQuery({ ...signal(id), enabled: useUnlessPaused() });
  const history = useQuery({
    queryKey: ["signals", "history", id, asked],
    queryFn: () => fetchHistory(id, rangeOf(asked, serverClock.now())),
    placeholderData: keepPreviousData,
    // After a pause it is asked for at once, for what was not seen.
    staleTime: 0,
    enabled: useUnlessPaused(),
    refetchInterval: range.isLive && stepMs(range),
    gcTime: 30_000,
  });
  const change = useCallback((next: RangeAsked) => void navigate({ search: next }), [navigate]);
  if (standsInTheWay(found) !== null)
    return (
      <Page title="Signal">
        <Problem error={found.error} retry={() => void found.refetch()} />
      </Page>
    );
  if (found.data === undefined) return <Soon lines={8} />;
  const { name, status, externalId } = found.data;
  return (
    <Page
      title={name}
      actions={
        mayChange && (
          <>
            <Monitoring of={found.data} />
            <Link
              to="/alerts/rules/new"
              search={{ signalId: id }}
              className={buttonClass("main")}
              data-new=""
            >
              Create alert
            </Link>
          </>
        )
      }
    >
      <NotRenewed of={found} />
      <p className={style.words}>
        <StatusMark status={status} /> <Newest id={id} />
        <span className={style.id}>
          <code>{externalId ?? id}</code> <CopyButton text={id} what="the signal's id" />
        </span>
      </p>
      <div className={style.page}>
        <Card label="History">
          <RangeBar asked={asked} range={range} step={history.data?.step ?? null} change={change} />
          {standsInTheWay(history) !== null && (
            <Problem error={history.error} retry={() => void history.refetch()} />
          )}
          {history.data === undefined && standsInTheWay(history) === null && <Soon lines={8} />}
          <NotRenewed of={history} />
          {history.data !== undefined && (
            <SignalChart signal={found.data} history={history.data} range={range} change={change} />
          )}
          <Happened signal={found.data} asked={asked} range={range} />
        </Card>
        <Card label="Analysis">
          <h2>Analysis</h2>
          <AnalysisOf id={id} asked={asked} mayChange={mayChange} />
        </Card>
        {mayChange && (
          <Card label="Settings">
            <details>
              <summary>Settings of this signal</summary>
              <SignalSettings signal={found.data} />
            </details>
          </Card>
        )}
      </div>
    </Page>
  );
};

export const SignalPage = () => {
  const { id } = useParams({ from: "/signals/$id" });
  // Nothing of one signal stands in for what is not there yet of another.
  return <OneSignal key={id} id={id} />;
};
