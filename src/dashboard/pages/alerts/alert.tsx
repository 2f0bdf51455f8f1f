import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { alert as alertQuery, signal as signalQuery } from "../../api/queries.ts";
import { standsInTheWay } from "../../api/stands-in-the-way.ts";
import type { Alert } from "../../api/types.ts";
import { useUnlessPaused } from "../../app/live.ts";
import { useMayChange } from "../../app/roles.ts";
import { numberText } from "../../app/words.ts";
import { Ago } from "../../parts/age.tsx";
import { buttonClass } from "../../parts/button.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { NotRenewed } from "../../parts/not-renewed.tsx";
import { Card, Page } from "../../parts/page.tsx";
import { Problem } from "../../parts/problem.tsx";
import { SeverityMark } from "../../parts/severity.tsx";
import { Soon } from "../../parts/soon.tsx";
import { Time } from "../../parts/time.tsx";
import { Acknowledge } from "./acknowledge.tsx";
import style from "./alert.module.css";
import { AlertTabs } from "./alert-tabs.tsx";
import { AroundIt } from "./around-it.tsx";
import { ToldTo } from "./told-to.tsx";
import { valueFacts } from "./value-facts.ts";
import { Why } from "./why.tsx";
import { why } from "./why-query.ts";
import { comparedText, conditionText, resolvedText, spanText } from "./words.ts";

const Facts = ({ alert }: { alert: Alert }) => {
  const { data: found } = useQuery(why(alert));
  const rule = found?.rule;
  const { state, limit, firedAt, resolvedAt, acknowledged, silencedBy, heldBy } = alert;
  const compared = (one: number) =>
    rule === undefined ? numberText(one) : comparedText(rule.condition, one);
  const facts: readonly (readonly [string, ReactNode])[] = [
    ["State", state === "resolved" ? resolvedText(alert) : state],
    ...(firedAt === null ? [] : [["Fired", <Time key="fired" at={Date.parse(firedAt)} />] as const]),
    ...(firedAt === null || resolvedAt === null
      ? []
      : [["Lasted", spanText(Date.parse(resolvedAt) - Date.parse(firedAt))] as const]),
    ...valueFacts(alert, found).map(([name, one]) => [name, compared(one)] as const),
    ["Limit", compared(limit)],
    ...(rule === undefined ? [] : [["Rule", conditionText(rule.condition, rule.levels)] as const]),
    ...(acknowledged === null
      ? []
      : [
          [
            "Taken on",
            <span key="taken">
              <Ago at={Date.parse(acknowledged.at)} />
              {acknowledged.note !== null && `: ${acknowledged.note}`}
            </span>,
          ] as const,
        ]),
    ...(silencedBy === null ? [] : [["Told to nobody", "a silence holds it back"] as const]),
    ...(heldBy === null ? [] : [["Held back", "it changes too often"] as const]),
  ];
  return (
    <dl className={style.facts}>
      {facts.map(([name, what]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{what}</dd>
        </div>
      ))}
    </dl>
  );
};

export const AlertPage = () => {
  const { id } = useParams({ from: "/alerts/$id" });
  const found = useQuery({ ...alertQuery(id), enabled: useUnlessPaused() });
  const mayChange = useMayChange();
  const alert = found.data;
  const signal = useQuery({ ...signalQuery(alert?.signalId ?? ""), enabled: alert !== undefined });
  if (standsInTheWay(found) !== null)
    return (
      <Page title="Alert">
        <AlertTabs />
        <Problem error={found.error} retry={() => void found.refetch()} />
      </Page>
    );
  if (alert === undefined) return <Soon lines={8} />;
  const { ruleId, ruleName, signalId, severity, state, acknowledged } = alert;
  return (
    <Page
      title={ruleName}
      actions={
        mayChange && (
          <>
            {state === "firing" && acknowledged === null && <Acknowledge id={id} />}
            <Link to="/alerts/silences/new" search={{ ruleId, signalId }} className={buttonClass("second")}>
              Silence it
            </Link>
            <Link
              to="/alerts/rules/$id"
              params={{ id: ruleId }}
              search={{ signalId }}
              className={buttonClass("second")}
            >
              Change the rule
            </Link>
          </>
        )
      }
    >
      <AlertTabs />
      <NotRenewed of={found} />
      <p className={style.words}>
        <SeverityMark severity={severity} />
        <span>
          on{" "}
          <Link to="/signals/$id" params={{ id: signalId }}>
            <bdi>{signal.data?.name ?? signalId}</bdi>
          </Link>
        </span>
        <span className={style.id}>
          <code>{id}</code> <CopyButton text={id} what="the alert's id" />
        </span>
      </p>
      <div className={style.page}>
        <Card label="The alert">
          <Facts alert={alert} />
        </Card>
        <Card label="Around it">
          <AroundIt key={id} alert={alert} />
        </Card>
        <Card label="Why it fired">
          <h2>{state === "pending" ? "Why it waits" : "Why it fired"}</h2>
          <Why alert={alert} />
        </Card>
        <Card label="Who was told">
          <h2>Who was told</h2>
          <ToldTo alert={alert} />
        </Card>
      </div>
    </Page>
  );
};
