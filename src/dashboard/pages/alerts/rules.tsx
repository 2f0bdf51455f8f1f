import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api } from "../../api/client.ts";
import { firingByRule, rules, sources } from "../../api/queries.ts";
import type { Rule } from "../../api/types.ts";
import { useMayChange } from "../../app/roles.ts";
import { numberText } from "../../app/words.ts";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Item, List } from "../../parts/list.tsx";
import { Page } from "../../parts/page.tsx";
import { Problem } from "../../parts/problem.tsx";
import { SeverityMark } from "../../parts/severity.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import { AlertTabs } from "./alert-tabs.tsx";
import { NewRuleLink } from "./new-rule-link.tsx";
import { conditionText, secondsText, selectionText } from "./words.ts";

interface RowProps {
  readonly rule: Rule;
  readonly sourceName: string | undefined;
  /** Such as `3`, or `3+` where not all are counted; null: none. */
  readonly firings: string | null;
  readonly mayChange: boolean;
}

const RuleItem = ({ rule, sourceName, firings, mayChange }: RowProps) => {
  const { id, name, severity, levels, condition, select, forSeconds, enabled } = rule;
  const queries = useQueryClient();
  const turn = useMutation({
    mutationFn: () =>
      api.patch("/v1/alerts/rules/{id}", { params: { path: { id } }, body: { enabled: !enabled } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["rules"] }),
  });
  return (
    <Item
      mark={<SeverityMark severity={levels?.at(-1)?.severity ?? severity} />}
      title={
        <Link to="/alerts/rules/$id" params={{ id }}>
          <bdi>{name}</bdi>
        </Link>
      }
      under={
        <>
          {conditionText(condition, levels)}
          {forSeconds > 0 && ` for ${secondsText(forSeconds)}`} · {selectionText(select, sourceName)}
          {turn.error !== null && <Problem error={turn.error} />}
        </>
      }
    >
      {firings !== null && (
        <Link to="/alerts" search={{ state: "firing", ruleId: id }}>
          {firings} firing
        </Link>
      )}
      {!enabled && <span>off</span>}
      {mayChange && (
        <Button
          disabled={turn.isPending}
          aria-label={`Turn ${name} ${enabled ? "off" : "on"}`}
          onClick={() => turn.mutate()}
        >
          Turn {enabled ? "off" : "on"}
        </Button>
      )}
    </Item>
  );
};

export const Rules = () => {
  const { data, error, refetch } = useQuery(rules);
  const known = useQuery(sources);
  const { data: fire } = useQuery(firingByRule);
  const mayChange = useMayChange();
  const nameOf = (id: string | undefined) => known.data?.find((source) => source.id === id)?.name;
  const firingsOf = (id: string) => {
    const count = fire?.counts.get(id) ?? 0;
    if (fire?.isWhole === false) return `${numberText(count)}+`;
    return count === 0 ? null : numberText(count);
  };
  const create = mayChange && <NewRuleLink />;
  return (
    <Page title="Rules" actions={create}>
      <AlertTabs />
      <Waiting lines={6} of={{ data, error, refetch }} />
      {data?.length === 0 && (
        <Empty action={create}>There is no rule yet: signals fail by their own thresholds alone.</Empty>
      )}
      {data !== undefined && data.length > 0 && (
        <List label="Rules">
          {data.map((rule) => (
            <RuleItem
              key={rule.id}
              rule={rule}
              sourceName={nameOf(rule.select.sourceId)}
              firings={firingsOf(rule.id)}
              mayChange={mayChange}
            />
          ))}
        </List>
      )}
    </Page>
  );
};
