import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { api } from "../../api/client.ts";
import { LeaveGuard } from "../../app/leave-guard.tsx";
import { useMayChange } from "../../app/roles.ts";
import { AskEditor } from "../../parts/ask-editor.tsx";
import { Button, buttonClass } from "../../parts/button.tsx";
import { Page } from "../../parts/page.tsx";
import { Problem } from "../../parts/problem.tsx";
import { problemsByPath } from "../../parts/problems-by-path.ts";
import { Secret } from "../../parts/secret.tsx";
import formStyle from "./forms.module.css";
import { NEW_WEBHOOK, WebhookFields, webhookOf } from "./webhook-fields.tsx";
import { WebhookAnswered } from "./webhook-tried.tsx";

const WebhookForm = () => {
  const [draft, setDraft] = useState(NEW_WEBHOOK);
  const [isPutAway, setPutAway] = useState(false);
  const queries = useQueryClient();
  const test = useMutation({
    mutationFn: () =>
      api.post("/v1/integrations/webhooks/test", {
        body: { url: draft.url, events: [...draft.events], signing: draft.signing },
      }),
  });
  const save = useMutation({
    mutationFn: () => api.post("/v1/integrations/webhooks", { body: webhookOf(draft) }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["webhooks"] }),
  });
  const problems = new Map([...problemsByPath(test.error), ...problemsByPath(save.error)]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  if (save.data !== undefined)
    return (
      <div className={formStyle.form}>
        {isPutAway ? (
          <p>The webhook is made.</p>
        ) : (
          <Secret text={save.data.secret} what="signing secret" done={() => setPutAway(true)} />
        )}
        <div>
          <Link to="/settings/webhooks/$id" params={{ id: save.data.id }} className={buttonClass("main")}>
            Go on to the webhook
          </Link>
        </div>
      </div>
    );
  return (
    <>
      <LeaveGuard isDirty={draft !== NEW_WEBHOOK} />
      <form className={formStyle.form} onSubmit={submit} noValidate>
        <WebhookFields
          draft={draft}
          change={(part) => setDraft((now) => ({ ...now, ...part }))}
          problems={problems}
        />
        {test.data !== undefined && <WebhookAnswered tried={test.data} />}
        {test.error !== null && <Problem error={test.error} />}
        {save.error !== null && <Problem error={save.error} />}
        <div className={formStyle.buttons}>
          <Button kind="main" type="submit" disabled={save.isPending}>
            Create the webhook
          </Button>
          <Button disabled={test.isPending} onClick={() => test.mutate()}>
            Send a test
          </Button>
        </div>
      </form>
    </>
  );
};

/** A webhook, which can be tried before it is saved. */
export const NewWebhook = () => {
  const mayChange = useMayChange();
  return (
    <Page title="New webhook">
      {mayChange ? (
        <WebhookForm />
      ) : (
        <p>
          <AskEditor to="have a program told of what happens" />
        </p>
      )}
    </Page>
  );
};
