import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { type AlertFilter, type AlertState, alerts, type Severity, signalNames } from "../../api/queries.ts";
import type { Alert } from "../../api/types.ts";
import { useUnlessPaused } from "../../app/live.ts";
import { useMayChange } from "../../app/roles.ts";
import { Age } from "../../parts/age.tsx";
import { Button } from "../../parts/button.tsx";
import { Choice } from "../../parts/choice.tsx";
import { Item, List, More } from "../../parts/list.tsx";
import { Page } from "../../parts/page.tsx";
import { SeverityMark } from "../../parts/severity.tsx";
import { Time } from "../../parts/time.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import { AlertTabs } from "./alert-tabs.tsx";
import style from "./alerts.module.css";
import { SEVERITIES, STATES } from "./filter.ts";
import { NewRuleLink } from "./new-rule-link.tsx";
import { NoAlerts } from "./no-alerts.tsx";
import { resolvedText, spanText } from "./words.ts";

const Since = ({ alert: { state, pendingSince, firedAt, resolvedAt, resolveReason } }: { alert: Alert }) => {
  if (firedAt === null)
    return (
      pendingSince !== null && (
        <>
          waits since <Age at={Date.parse(pendingSince)} />
        </>
      )
    );
  const firedMs = Date.parse(firedAt);
  if (state === "firing" || resolvedAt === null)
    return (
      <>
        fires since <Age at={firedMs} />
      </>
    );
  return (
    <>
      <Time at={firedMs} />, {spanText(Date.parse(resolvedAt) - firedMs)}, {resolvedText({ resolveReason })}
    </>
  );
};

const AlertItem = ({ alert, signalName }: { alert: Alert; signalName: string | undefined }) => {
  const { id, ruleName, signalId, severity, state, acknowledged, silencedBy, heldBy } = alert;
  return (
    <Item
      mark={<SeverityMark severity={severity} />}
      title={
        <Link to="/alerts/$id" params={{ id }}>
          <bdi>{ruleName}</bdi>
        </Link>
      }
      under={
        <>
          <bdi>{signalName ?? signalId}</bdi> · <Since alert={alert} />
        </>
      }
    >
      {acknowledged !== null && <span className={style.tag}>taken on</span>}
      {silencedBy !== null && <span className={style.tag}>silenced</span>}
      {heldBy !== null && <span className={style.tag}>flapping</span>}
      <span className={style.tag}>{state}</span>
    </Item>
  );
};

const without = (filter: AlertFilter, name: keyof AlertFilter): AlertFilter =>
  Object.fromEntries(Object.entries(filter).filter(([one]) => one !== name));

const Filter = ({ filter, change }: { filter: AlertFilter; change: (next: AlertFilter) => void }) => {
  const states: readonly (AlertState | "all")[] = ["all", ...STATES];
  const severities: readonly (Severity | "all")[] = ["all", ...SEVERITIES];
  return (
    <search className={style.filter}>
      <Choice
        legend="State"
        name="state"
        values={states}
        chosen={filter.state ?? "all"}
        choose={(state) => change(state === "all" ? without(filter, "state") : { ...filter, state })}
      />
      <Choice
        legend="Severity"
        name="severity"
        values={severities}
        chosen={filter.severity ?? "all"}
        choose={(severity) =>
          change(severity === "all" ? without(filter, "severity") : { ...filter, severity })
        }
        words={{ all: "every severity" }}
      />
      {filter.ruleId !== undefined && (
        <Button onClick={() => change(without(filter, "ruleId"))}>Of one rule ✕</Button>
      )}
      {filter.signalId !== undefined && (
        <Button onClick={() => change(without(filter, "signalId"))}>Of one signal ✕</Button>
      )}
    </search>
  );
};

export const Alerts = () => {
  const filter = useSearch({ from: "/alerts" });
  const navigate = useNavigate({ from: "/alerts" });
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    ...alerts(filter),
    enabled: useUnlessPaused(),
  });
  const shown = data?.pages.flatMap((page) => page.alerts) ?? [];
  const names = useQuery(signalNames(shown.map(({ signalId }) => signalId)));
  const mayChange = useMayChange();
  const isTruncated = data?.pages.some(({ truncated }) => truncated) === true;
  return (
    <Page title="Alerts" actions={mayChange && <NewRuleLink />}>
      <AlertTabs />
      <Filter filter={filter} change={(next) => void navigate({ search: next, replace: true })} />
      <Waiting lines={6} of={{ data, error, refetch }} />
      {data !== undefined && shown.length === 0 && <NoAlerts filter={filter} mayChange={mayChange} />}
      {shown.length > 0 && (
        <List label="Alerts">
          {shown.map((alert) => (
            <AlertItem key={alert.id} alert={alert} signalName={names.data?.get(alert.signalId)} />
          ))}
        </List>
      )}
      {isTruncated && <p className={style.note}>More alerts are pending than are shown here.</p>}
      <More hasMore={hasNextPage} isFetching={isFetchingNextPage} more={() => void fetchNextPage()} />
    </Page>
  );
};
