import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { api } from "../../api/client.ts";
import { webhookWithTag } from "../../api/settings-queries.ts";
import { standsInTheWay } from "../../api/stands-in-the-way.ts";
import type { Webhook } from "../../api/types.ts";
import { ifMatch, withTag } from "../../api/with-tag.ts";
import { LeaveGuard } from "../../app/leave-guard.tsx";
import { withProof } from "../../app/proof.ts";
import { useMayChange } from "../../app/roles.ts";
import { useSavedDraft } from "../../app/saved-draft.ts";
import { say } from "../../app/toasts.tsx";
import { AskFirst } from "../../parts/ask-first.tsx";
import { Button } from "../../parts/button.tsx";
import { NotRenewed } from "../../parts/not-renewed.tsx";
import { NotSaved } from "../../parts/not-saved.tsx";
import { Page } from "../../parts/page.tsx";
import { Problem } from "../../parts/problem.tsx";
import { problemsByPath } from "../../parts/problems-by-path.ts";
import { Secret } from "../../parts/secret.tsx";
import { Soon } from "../../parts/soon.tsx";
import { Time } from "../../parts/time.tsx";
import { Deliveries } from "./deliveries.tsx";
import formStyle from "./forms.module.css";
import { SignatureDoctor } from "./signature-doctor.tsx";
import { WebhookFields, webhookDraftOf, webhookOf } from "./webhook-fields.tsx";
import { WebhookAnswered } from "./webhook-tried.tsx";
import { Trouble, WebhookMark } from "./webhooks.tsx";

/** The day that receivers have to take the new secret. */
const OVERLAP_SECONDS = 86_400;

const Rotation = ({ webhook }: { webhook: Webhook }) => {
  const { id, previousSecretValidUntil } = webhook;
  const queries = useQueryClient();
  const params = { path: { id } };
  const rotate = useMutation({
    mutationFn: (overlapSeconds: number) =>
      withProof(() =>
        api.post("/v1/integrations/webhooks/{id}/rotate-secret", { params, body: { overlapSeconds } }),
      ),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["webhooks"] }),
  });
  const end = useMutation({
    mutationFn: () => api.delete("/v1/integrations/webhooks/{id}/previous-secret", { params }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["webhooks"] }),
  });
  return (
    <section aria-label="Signing secret" className={formStyle.form}>
      <h2>Signing secret</h2>
      {rotate.data !== undefined && (
        <Secret text={rotate.data.secret} what="signing secret" done={rotate.reset} />
      )}
      {previousSecretValidUntil !== null && (
        <p>
          The secret before signs, too, until <Time at={Date.parse(previousSecretValidUntil)} />.{" "}
          <AskFirst
            kind="second"
            button="End it now"
            title="End the secret before now?"
            does="End the old secret"
            doing={end}
          >
            <p>A receiver that knows only the old one refuses what it is sent from then on.</p>
          </AskFirst>
        </p>
      )}
      {rotate.error !== null && <Problem error={rotate.error} />}
      <div className={formStyle.buttons}>
        <Button disabled={rotate.isPending} onClick={() => rotate.mutate(OVERLAP_SECONDS)}>
          New secret, the old one for a day more
        </Button>
        <AskFirst
          button="New secret, the old one ends now"
          title="End the old secret at once?"
          does="Make a new secret"
          doing={{ ...rotate, mutate: (_, then) => rotate.mutate(0, then) }}
        >
          <p>The receiver refuses what it is sent until it has the new one.</p>
        </AskFirst>
      </div>
    </section>
  );
};

const Remove = ({ webhook: { id, name, url } }: { webhook: Webhook }) => {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => api.delete("/v1/integrations/webhooks/{id}", { params: { path: { id } } }),
    onSuccess: async () => {
      say(`“${name ?? url}” is removed.`);
      await navigate({ to: "/settings/webhooks", ignoreBlocker: true });
      await queries.invalidateQueries({ queryKey: ["webhooks", "list"] });
    },
  });
  return (
    <AskFirst button="Remove" title={`Remove “${name ?? url}”?`} does="Remove the webhook" doing={remove}>
      <p>What waits to be sent is discarded, and its secret is gone.</p>
    </AskFirst>
  );
};

interface WithTag {
  readonly webhook: Webhook;
  readonly tag: string | null;
}
const storedOf = ({ webhook, tag }: WithTag) => ({ draft: webhookDraftOf(webhook), tag });

const SettingsOf = ({ found }: { found: WithTag }) => {
  const { id } = found.webhook;
  const { draft, isDirty, change, save, load, submit } = useSavedDraft({
    stored: storedOf(found),
    sentOf: webhookOf,
    send: async (sent, tag) => {
      const params = { path: { id }, header: ifMatch(tag) };
      const body = webhookOf(sent);
      const next = withTag(await api.raw.PATCH("/v1/integrations/webhooks/{id}", { params, body }));
      return storedOf({ webhook: next.data, tag: next.tag });
    },
    fetch: async (queries) => storedOf(await queries.fetchQuery({ ...webhookWithTag(id), staleTime: 0 })),
    said: "The webhook is saved.",
    all: ["webhooks"],
    one: webhookWithTag(id).queryKey,
  });
  return (
    <form className={formStyle.form} onSubmit={submit} noValidate>
      <LeaveGuard isDirty={isDirty} />
      <WebhookFields draft={draft} change={change} problems={problemsByPath(save.error)} />
      {save.error !== null && <NotSaved error={save.error} load={load} />}
      <div>
        <Button kind="main" type="submit" disabled={save.isPending || !isDirty}>
          Save
        </Button>
      </div>
    </form>
  );
};

export const WebhookPage = () => {
  const { id } = useParams({ from: "/settings/webhooks/$id" });
  const found = useQuery(webhookWithTag(id));
  const { data, refetch } = found;
  const mayChange = useMayChange();
  const params = { path: { id } };
  const test = useMutation({
    mutationFn: () => api.post("/v1/integrations/webhooks/{id}/test", { params, body: {} }),
  });
  const turn = useMutation({
    mutationFn: (enabled: boolean) =>
      api.patch("/v1/integrations/webhooks/{id}", { params, body: { enabled } }),
    onSuccess: () => refetch(),
  });
  const problem = standsInTheWay(found);
  if (problem !== null)
    return (
      <Page title="Webhook">
        <Problem error={problem} retry={() => void refetch()} />
      </Page>
    );
  if (data === undefined) return <Soon lines={8} />;
  const { webhook } = data;
  const isOn = webhook.status === "enabled";
  return (
    <Page
      title={webhook.name ?? webhook.url}
      actions={
        mayChange && (
          <>
            <Button kind="main" disabled={test.isPending} onClick={() => test.mutate()}>
              Send a test
            </Button>
            <Button disabled={turn.isPending} onClick={() => turn.mutate(!isOn)}>
              Turn {isOn ? "off" : "on"}
            </Button>
            <Remove webhook={webhook} />
          </>
        )
      }
    >
      <div className={formStyle.blocks}>
        <NotRenewed of={found} />
        <p>
          <WebhookMark {...webhook} /> <Trouble webhook={webhook} />
        </p>
        {test.data !== undefined && <WebhookAnswered tried={test.data} />}
        {test.error !== null && <Problem error={test.error} />}
        {turn.error !== null && <Problem error={turn.error} />}
        <Deliveries webhook={webhook} />
        {mayChange && (
          <>
            <SignatureDoctor id={id} />
            {webhook.signing && <Rotation webhook={webhook} />}
            <SettingsOf key={id} found={data} />
          </>
        )}
      </div>
    </Page>
  );
};
