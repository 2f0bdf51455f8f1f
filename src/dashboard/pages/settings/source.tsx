import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { api } from "../../api/client.ts";
import { source as sourceQuery } from "../../api/settings-queries.ts";
import { standsInTheWay } from "../../api/stands-in-the-way.ts";
import type { Source } from "../../api/types.ts";
import { useMayChange } from "../../app/roles.ts";
import { say } from "../../app/toasts.tsx";
import { visible } from "../../app/visible.ts";
import { numberText } from "../../app/words.ts";
import { Ago } from "../../parts/age.tsx";
import { AskFirst } from "../../parts/ask-first.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { NotRenewed } from "../../parts/not-renewed.tsx";
import { Page } from "../../parts/page.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Raw } from "../../parts/raw.tsx";
import { Soon } from "../../parts/soon.tsx";
import formStyle from "./forms.module.css";
import style from "./source.module.css";
import { SourceMapping } from "./source-mapping.tsx";
import { SourceMark } from "./source-mark.tsx";
import { Rejections } from "./source-rejections.tsx";
import { SourceSettings } from "./source-settings.tsx";
import { SourceSignals } from "./source-signals.tsx";
import { addressOf } from "./sources.tsx";

const Remove = ({ id, name }: { id: string; name: string }) => {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => api.delete("/v1/integrations/sources/{id}", { params: { path: { id } } }),
    onSuccess: async () => {
      say(`“${name}” is removed.`);
      await navigate({ to: "/settings/integrations", ignoreBlocker: true });
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
  // What makes readings up has no address.
  const copied = type === "push" ? pushUrl : "url" in source ? source.url : null;
  return (
    <section aria-label="How it is" className={formStyle.form}>
      <p>
        <SourceMark state={state} /> ·{" "}
        {type === "push" ? <code>{pushUrl}</code> : <bdi>{addressOf(source)}</bdi>}{" "}
        {copied !== null && <CopyButton text={copied} what="the address" />}
      </p>
      {stateReason !== null && (
        <p>
          <bdi>{visible(stateReason)}</bdi>
        </p>
      )}
      <p>
        {numberText(counters.messages)} messages, {numberText(counters.readings)} readings,{" "}
        {numberText(counters.skipped)} of another kind, {numberText(counters.rejected)} rejected,{" "}
        {numberText(counters.reconnects)} reconnects
        {lastMessageAt !== null && (
          <>
            , the last message <Ago at={Date.parse(lastMessageAt)} />
          </>
        )}
        .
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
  const found = useQuery(sourceQuery(id));
  const { data } = found;
  const mayChange = useMayChange();
  const problem = standsInTheWay(found);
  if (problem !== null)
    return (
      <Page title="Source">
        <Problem error={problem} retry={() => void found.refetch()} />
      </Page>
    );
  if (data === undefined) return <Soon lines={6} />;
  const { source, tag } = data;
  return (
    <Page title={source.name} actions={mayChange && <Remove id={id} name={source.name} />}>
      <NotRenewed of={found} />
      <div className={style.page}>
        <Facts source={source} />
        <SourceSignals sourceId={source.id} />
        {mayChange && "mapping" in source && (
          <SourceMapping
            key={id}
            id={id}
            mapping={source.mapping}
            tag={tag}
            isPush={source.type === "push"}
          />
        )}
        {!mayChange && "mapping" in source && (
          <section aria-label="Mapping">
            <h2>Its mapping</h2>
            <Raw what="The mapping" text={JSON.stringify(source.mapping, null, 2)} />
          </section>
        )}
        {mayChange && <SourceSettings key={`settings of ${id}`} found={data} />}
        <Rejections id={id} />
      </div>
    </Page>
  );
};
