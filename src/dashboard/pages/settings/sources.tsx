import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api } from "../../api/client.ts";
import { sources } from "../../api/queries.ts";
import type { Source } from "../../api/types.ts";
import { useMayChange } from "../../app/roles.ts";
import { say } from "../../app/toasts.tsx";
import { visible } from "../../app/visible.ts";
import { numberText } from "../../app/words.ts";
import { Ago } from "../../parts/age.tsx";
import { Button, buttonClass } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Item, List } from "../../parts/list.tsx";
import { Page } from "../../parts/page.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import { isDemo, removeDemo } from "./remove-demo.ts";
import { SourceMark } from "./source-mark.tsx";

/** What is sent where; a push source has no address of its own. */
export const addressOf = (source: Source): string => ("url" in source ? source.url : source.type);

const SourceItem = ({ source }: { source: Source }) => {
  const { id, name, type, state, stateReason, lastMessageAt, counters, enabled } = source;
  const mayChange = useMayChange();
  const queries = useQueryClient();
  const turn = useMutation({
    mutationFn: () =>
      api.patch("/v1/integrations/sources/{id}", { params: { path: { id } }, body: { enabled: !enabled } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["sources"] }),
  });
  return (
    <Item
      mark={<SourceMark state={state} />}
      title={
        <Link to="/settings/integrations/$id" params={{ id }}>
          <bdi>{name}</bdi>
        </Link>
      }
      under={
        <>
          {type} · {numberText(counters.readings)} readings
          {counters.rejected > 0 && ` · ${numberText(counters.rejected)} rejected`}
          {lastMessageAt !== null && (
            <>
              {" "}
              · last message <Ago at={Date.parse(lastMessageAt)} />
            </>
          )}
          {stateReason !== null && (
            <>
              <br />
              <bdi>{visible(stateReason)}</bdi>
            </>
          )}
          {turn.error !== null && <Problem error={turn.error} />}
        </>
      }
    >
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

/** What makes readings of its own is there to be looked at first. */
const Demo = ({ demo }: { demo: Source }) => {
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => removeDemo(demo),
    onSuccess: async () => {
      say("The demo is removed, with its signals and its rule.");
      await queries.invalidateQueries();
    },
  });
  return (
    <>
      <Button disabled={remove.isPending} onClick={() => remove.mutate()}>
        Remove the demo
      </Button>
      {remove.error !== null && <Problem error={remove.error} />}
    </>
  );
};

export const Sources = () => {
  const { data, error, refetch } = useQuery(sources);
  const mayChange = useMayChange();
  const demo = data?.find(isDemo);
  const connect = mayChange && (
    <Link data-new="" to="/settings/integrations/new" className={buttonClass("main")}>
      {demo !== undefined && data?.length === 1 ? "Connect your own" : "Connect a source"}
    </Link>
  );
  return (
    <Page
      title="Integrations"
      actions={
        mayChange && (
          <>
            {demo !== undefined && <Demo demo={demo} />}
            {connect}
          </>
        )
      }
    >
      <Waiting lines={4} of={{ data, error, refetch }} />
      {data?.length === 0 && <Empty action={connect}>No source is connected yet: nothing is measured.</Empty>}
      {data !== undefined && data.length > 0 && (
        <List label="Sources">
          {data.map((source) => (
            <SourceItem key={source.id} source={source} />
          ))}
        </List>
      )}
    </Page>
  );
};
