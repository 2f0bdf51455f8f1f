import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { rejections, source as sourceQuery } from "../../api/queries.ts";
import { standsInTheWay } from "../../api/stands-in-the-way.ts";
import type { Source } from "../../api/types.ts";
import { useMayChange } from "../../app/roles.ts";
import { say } from "../../app/toasts.tsx";
import { ageText, numberText, timeText } from "../../app/words.ts";
import { AskFirst } from "../../parts/ask-first.tsx";
import { Button, buttonClass } from "../../parts/button.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Item, List, More } from "../../parts/list.tsx";
import { Page } from "../../parts/page.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Soon } from "../../parts/soon.tsx";
import formStyle from "./forms.module.css";
import { MappingFields, mappingDraftOf, mappingOf } from "./mapping-fields.tsx";
import style from "./source.module.css";
import { SourceMark } from "./source-mark.tsx";
import { addressOf } from "./sources.tsx";
import { Tried } from "./tried.tsx";

const Rejections = ({ id }: { id: string }) => {
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    rejections(id),
  );
  const queries = useQueryClient();
  const mayChange = useMayChange();
  const retry = useMutation({
    mutationFn: () =>
      api.post("/v1/integrations/sources/{id}/rejections/retry", { params: { path: { id } } }),
    onSuccess: async ({ retried, readings, remaining }) => {
      say(
        `${numberText(retried)} tried: ${numberText(readings)} readings, ${numberText(remaining)} are left.`,
      );
      await queries.invalidateQueries({ queryKey: ["sources"] });
    },
  });
  const rows = data?.pages.flatMap((page) => page.rejections) ?? [];
  const problem = standsInTheWay({ data, error });
  if (problem !== null) return <Problem error={problem} retry={() => void refetch()} />;
  if (rows.length === 0) return null;
  return (
    <section aria-label="Rejected messages">
      <h2>Rejected messages</h2>
      {mayChange && (
        <p>
          <Button disabled={retry.isPending} onClick={() => retry.mutate()}>
            Try them again
          </Button>
        </p>
      )}
      {retry.error !== null && <Problem error={retry.error} />}
      <List label="Rejected messages">
        {rows.map(({ at, reason, detail, payload }) => (
          <Item
            key={`${at} ${payload}`}
            title={reason.replaceAll("_", " ")}
            under={
              <>
                {timeText(Date.parse(at))} · {detail}
                <details>
                  <summary>The message</summary>
                  <pre className={style.raw}>{payload}</pre>
                </details>
              </>
            }
          />
        ))}
      </List>
      <More hasMore={hasNextPage} isFetching={isFetchingNextPage} more={() => void fetchNextPage()} />
    </section>
  );
};

const MappingOf = ({ id, mapping }: { id: string; mapping: Parameters<typeof mappingDraftOf>[0] }) => {
  const [draft, setDraft] = useState(() => mappingDraftOf(mapping));
  const queries = useQueryClient();
  const params = { path: { id } };
  const test = useMutation({ mutationFn: () => api.post("/v1/integrations/sources/{id}/test", { params }) });
  const save = useMutation({
    mutationFn: () =>
      api.patch("/v1/integrations/sources/{id}", { params, body: { mapping: mappingOf(draft) } }),
    onSuccess: async () => {
      say("The mapping is saved.");
      await queries.invalidateQueries({ queryKey: ["sources"] });
    },
  });
  const payloads = test.data?.messages.map(({ payload }) => payload) ?? [];
  return (
    <section aria-label="Mapping" className={formStyle.form}>
      <h2>What it says</h2>
      <div className={formStyle.buttons}>
        <Button disabled={test.isPending} onClick={() => test.mutate()}>
          {test.isPending ? "Connecting, up to 10 s …" : "See what comes"}
        </Button>
      </div>
      {test.error !== null && <Problem error={test.error} />}
      {test.data !== undefined && <Tried tried={test.data} />}
      <MappingFields draft={draft} change={setDraft} payloads={payloads} />
      {save.error !== null && <Problem error={save.error} />}
      <div>
        <Button
          disabled={save.isPending || JSON.stringify(mappingOf(draft)) === JSON.stringify(mapping)}
          onClick={() => save.mutate()}
        >
          Save the mapping
        </Button>
      </div>
    </section>
  );
};

const Remove = ({ id, name }: { id: string; name: string }) => {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => api.delete("/v1/integrations/sources/{id}", { params: { path: { id } } }),
    onSuccess: async () => {
      say(`“${name}” is removed.`);
      await navigate({ to: "/settings/integrations" });
      await queries.invalidateQueries({ queryKey: ["sources", "list"] });
    },
  });
  return (
    <AskFirst button="Remove" title={`Remove “${name}”?`} does="Remove the source" doing={remove}>
      <p>Nothing comes from it any more. The signals that it made stay.</p>
    </AskFirst>
  );
};

const Facts = ({ source }: { source: Source }) => {
  const { id, state, stateReason, counters, lastMessageAt, type } = source;
  const pushUrl = `${location.origin}/v1/integrations/sources/${id}/push`;
  return (
    <section aria-label="How it is" className={formStyle.form}>
      <p>
        <SourceMark state={state} /> ·{" "}
        {type === "push" ? <code>{pushUrl}</code> : <bdi>{addressOf(source)}</bdi>}{" "}
        <CopyButton text={type === "push" ? pushUrl : addressOf(source)} what="the address" />
      </p>
      {stateReason !== null && (
        <p>
          <bdi>{stateReason}</bdi>
        </p>
      )}
      <p>
        {numberText(counters.messages)} messages, {numberText(counters.readings)} readings,{" "}
        {numberText(counters.skipped)} of another kind, {numberText(counters.rejected)} rejected,{" "}
        {numberText(counters.reconnects)} reconnects
        {lastMessageAt !== null && `, the last message ${ageText(Date.parse(lastMessageAt))} ago`}.
      </p>
      {type === "push" && (
        <pre className={formStyle.example}>
          curl -X POST {pushUrl} -H &quot;Authorization: Bearer YOUR_KEY&quot; -H &quot;Content-Type:
          application/json&quot; -d &apos;{`{"signalId":"roof-1","strength":-71.5}`}&apos;
        </pre>
      )}
    </section>
  );
};

export const SourcePage = () => {
  const { id } = useParams({ from: "/settings/integrations/$id" });
  const { data, error, refetch } = useQuery(sourceQuery(id));
  const mayChange = useMayChange();
  const problem = standsInTheWay({ data, error });
  if (problem !== null)
    return (
      <Page title="Source">
        <Problem error={error} retry={() => void refetch()} />
      </Page>
    );
  if (data === undefined) return <Soon lines={6} />;
  return (
    <Page
      title={data.name}
      actions={
        <>
          <Link to="/signals" className={buttonClass("main")}>
            Its signals
          </Link>
          {mayChange && <Remove id={id} name={data.name} />}
        </>
      }
    >
      <div className={style.page}>
        <Facts source={data} />
        {mayChange && "mapping" in data && data.type !== "push" && (
          <MappingOf id={id} mapping={data.mapping} />
        )}
        <Rejections id={id} />
      </div>
    </Page>
  );
};
