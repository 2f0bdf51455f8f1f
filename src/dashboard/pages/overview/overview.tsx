import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useCallback, useRef } from "react";
import { firing, signalNames, sources } from "../../api/queries.ts";
import { standsInTheWay } from "../../api/stands-in-the-way.ts";
import type { Alert } from "../../api/types.ts";
import { useLive, useUnlessPaused } from "../../app/live.ts";
import { useMayChange } from "../../app/roles.ts";
import { numberText } from "../../app/words.ts";
import { writeText } from "../../app/write-text.ts";
import type { LiveColumns } from "../../live/live-store.ts";
import { counted } from "../../live/worst-first.ts";
import { Age } from "../../parts/age.tsx";
import { Empty } from "../../parts/empty.tsx";
import { NotRenewed } from "../../parts/not-renewed.tsx";
import { Card, Page } from "../../parts/page.tsx";
import { Problem } from "../../parts/problem.tsx";
import { SeverityMark } from "../../parts/severity.tsx";
import { Soon } from "../../parts/soon.tsx";
import { StatusMark } from "../../parts/status.tsx";
import { SEVERITIES } from "../alerts/filter.ts";
import style from "./overview.module.css";
import { Wall } from "./wall.tsx";

const KINDS = ["failed", "active", "paused"] as const;

/** How many signals are how, as they change. */
const CountsNow = () => {
  const cells = useRef(new Map<string, HTMLElement>());
  const draw = useCallback((columns: LiveColumns) => {
    const counts = counted(columns);
    for (const kind of KINDS) writeText(cells.current.get(kind), numberText(counts[kind]));
  }, []);
  useLive(draw);
  return (
    <ul className={style.counts}>
      {KINDS.map((kind) => (
        <li key={kind}>
          <Link to="/signals" search={{ status: kind }}>
            <b
              ref={(element) => {
                if (element !== null) cells.current.set(kind, element);
              }}
            />
            <StatusMark status={kind} />
          </Link>
        </li>
      ))}
    </ul>
  );
};

/** Of those that are as bad the newest first, as they come. */
const bySeverity = (alerts: readonly Alert[]): Alert[] =>
  alerts.toSorted((a, b) => SEVERITIES.indexOf(b.severity) - SEVERITIES.indexOf(a.severity));

interface FiringListProps {
  readonly alerts: readonly Alert[];
  readonly isWhole: boolean;
}

const FiringList = ({ alerts, isWhole }: FiringListProps) => {
  const names = useQuery(signalNames(alerts.map(({ signalId }) => signalId)));
  if (alerts.length === 0) return <Empty>No alert fires.</Empty>;
  return (
    <ul className={style.firing}>
      {bySeverity(alerts).map(({ id, signalId, ruleName, severity, firedAt, acknowledged }) => (
        <li key={id} data-row="">
          <Link to="/alerts/$id" params={{ id }} className={style.alert}>
            <SeverityMark severity={severity} />
            <span className={style.rule}>
              <bdi>{names.data?.get(signalId) ?? "…"}</bdi>: <bdi>{ruleName}</bdi>
            </span>
            <span className={style.since}>
              {acknowledged !== null && "taken on · "}
              {firedAt !== null && <Age at={Date.parse(firedAt)} />}
            </span>
          </Link>
        </li>
      ))}
      {!isWhole && (
        <li data-row="">
          <Link to="/alerts" search={{ state: "firing" }}>
            More than {alerts.length} fire: all of them
          </Link>
        </li>
      )}
    </ul>
  );
};

const Firing = () => {
  const found = useQuery({ ...firing, enabled: useUnlessPaused() });
  const problem = standsInTheWay(found);
  if (problem !== null) return <Problem error={problem} retry={() => void found.refetch()} />;
  if (found.data === undefined) return <Soon />;
  return (
    <>
      <NotRenewed of={found} />
      <FiringList {...found.data} />
    </>
  );
};

/** What comes first, while nothing of one's own is connected. */
const FirstSteps = () => {
  const { data } = useQuery({ ...sources, enabled: useUnlessPaused() });
  const mayChange = useMayChange();
  if (data === undefined || data.some(({ type }) => type !== "simulator")) return null;
  const connect = mayChange && <Link to="/settings/integrations/new">Connect your own</Link>;
  return data.length === 0 ? (
    <Empty action={connect}>No source is connected yet.</Empty>
  ) : (
    <p className={style.first}>These signals are a demo. {connect}</p>
  );
};

export const Overview = () => (
  <Page title="Overview">
    <FirstSteps />
    <div className={style.overview}>
      <Card label="Alerts that fire">
        <h2>Alerts that fire</h2>
        <Firing />
      </Card>
      <Card label="Signals">
        <CountsNow />
        <Wall />
        <p className={style.legend}>
          <span className={style.scale} aria-hidden="true" /> worst to best quality ·{" "}
          <StatusMark status="failed" /> red · paused, or without a reading yet: grey
        </p>
      </Card>
    </div>
  </Page>
);
