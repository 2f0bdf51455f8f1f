import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api } from "../../api/client.ts";
import { rules, silences, sources } from "../../api/queries.ts";
import type { Silence } from "../../api/types.ts";
import { useMayChange } from "../../app/roles.ts";
import { say } from "../../app/toasts.tsx";
import { Button, buttonClass } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Item, List } from "../../parts/list.tsx";
import { Page } from "../../parts/page.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Time } from "../../parts/time.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import { AlertTabs } from "./alert-tabs.tsx";
import { selectionText } from "./words.ts";

const STATES = { pending: "to come", active: "● active", expired: "over" } as const;

const End = ({ silence: { until, untilResolved, schedule } }: { silence: Silence }) => {
  if (untilResolved) return "until what fires resolves";
  return (
    <>
      {schedule !== null && "at its hours, "}
      {until === null ? (
        "for ever"
      ) : (
        <>
          until <Time at={Date.parse(until)} />
        </>
      )}
    </>
  );
};

const settingsOf = ({ select, ruleIds, from, until, untilResolved, schedule, reason }: Silence) => ({
  select,
  ruleIds,
  from,
  until,
  untilResolved,
  schedule,
  reason,
});

const SilenceItem = ({ silence, of }: { silence: Silence; of: string }) => {
  const { id, reason, state } = silence;
  const queries = useQueryClient();
  const mayChange = useMayChange();
  const again = async () => {
    await api.post("/v1/alerts/silences", { body: settingsOf(silence) });
    await queries.invalidateQueries({ queryKey: ["silences"] });
  };
  const end = useMutation({
    mutationFn: () => api.delete("/v1/alerts/silences/{id}", { params: { path: { id } } }),
    onSuccess: async () => {
      say(
        state === "expired" ? "The silence is deleted." : "The silence is ended.",
        state === "expired" ? null : again,
      );
      await queries.invalidateQueries({ queryKey: ["silences"] });
    },
  });
  return (
    <Item
      title={<bdi>{reason}</bdi>}
      under={
        <>
          {of} · <End silence={silence} />
          {end.error !== null && <Problem error={end.error} />}
        </>
      }
    >
      <span>{STATES[state]}</span>
      {mayChange && (
        <Button disabled={end.isPending} onClick={() => end.mutate()}>
          {state === "expired" ? "Delete" : "End it"}
        </Button>
      )}
    </Item>
  );
};

export const Silences = () => {
  const { data, error, refetch } = useQuery(silences);
  const known = useQuery(rules);
  const from = useQuery(sources);
  const mayChange = useMayChange();
  const create = mayChange && (
    <Link data-new="" to="/alerts/silences/new" className={buttonClass("main")}>
      New silence
    </Link>
  );
  const ofText = ({ ruleIds, select }: Silence): string => {
    const named = ruleIds?.map((id) => known.data?.find((rule) => rule.id === id)?.name ?? id);
    const sourceName = from.data?.find(({ id }) => id === select.sourceId)?.name;
    return `${named === undefined ? "every alert" : named.join(", ")} on ${selectionText(select, sourceName)}`;
  };
  return (
    <Page title="Silences" actions={create}>
      <AlertTabs />
      <Waiting lines={4} of={{ data, error, refetch }} />
      {data?.length === 0 && <Empty action={create}>Nothing is silenced: what fires is told.</Empty>}
      {data !== undefined && data.length > 0 && (
        <List label="Silences">
          {data.map((silence) => (
            <SilenceItem key={silence.id} silence={silence} of={ofText(silence)} />
          ))}
        </List>
      )}
    </Page>
  );
};
