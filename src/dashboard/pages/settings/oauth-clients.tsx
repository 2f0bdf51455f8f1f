import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api } from "../../api/client.ts";
import { oauthClients } from "../../api/settings-queries.ts";
import type { OAuthClient } from "../../api/types.ts";
import { LeaveGuard } from "../../app/leave-guard.tsx";
import { withProof } from "../../app/proof.ts";
import { say } from "../../app/toasts.tsx";
import { AskFirst } from "../../parts/ask-first.tsx";
import { Button } from "../../parts/button.tsx";
import { Check, Checks } from "../../parts/check.tsx";
import { Choice } from "../../parts/choice.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Fields } from "../../parts/field.tsx";
import { Item, List } from "../../parts/list.tsx";
import { Page } from "../../parts/page.tsx";
import { linesOf } from "../../parts/pairs.ts";
import { FormProblem } from "../../parts/problem.tsx";
import { problemsByPath, problemUnder } from "../../parts/problems-by-path.ts";
import { Secret } from "../../parts/secret.tsx";
import { TextArea, TextField } from "../../parts/text-field.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import style from "./forms.module.css";

type Grant = OAuthClient["grants"][number];
const GRANTS: readonly Grant[] = ["authorization_code", "device_code", "client_credentials"];
const GRANT_WORDS: Readonly<Record<Grant, string>> = {
  authorization_code: "people allow it in a browser",
  device_code: "people type a code that it shows",
  client_credentials: "it acts for itself",
};
const SCOPES = ["read", "write", "admin"] as const;
const TOKENS = ["opaque", "jwt"] as const;
const TOKEN_WORDS = { opaque: "tokens can be revoked", jwt: "signed tokens (JWT), for ten minutes" } as const;

interface ClientDraft {
  readonly name: string;
  readonly grants: readonly Grant[];
  readonly scopes: readonly (typeof SCOPES)[number][];
  readonly redirectUris: string;
  readonly confidential: boolean;
  readonly accessTokens: (typeof TOKENS)[number];
}

const NEW: ClientDraft = {
  name: "",
  grants: ["authorization_code"],
  scopes: ["read"],
  redirectUris: "",
  confidential: true,
  accessTokens: "opaque",
};

const NewClient = ({ close }: { close: () => void }) => {
  const [draft, setDraft] = useState(NEW);
  const queries = useQueryClient();
  const change = (part: Partial<ClientDraft>) => setDraft((now) => ({ ...now, ...part }));
  // What was typed stays, for when it is again.
  const isSentBack = draft.grants.includes("authorization_code");
  const create = useMutation({
    mutationFn: () => {
      const redirectUris = isSentBack ? linesOf(draft.redirectUris) : [];
      const body = { ...draft, grants: [...draft.grants], scopes: [...draft.scopes], redirectUris };
      return withProof(() => api.post("/v1/oauth/clients", { body }));
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: ["oauth-clients"] }),
  });
  const problems = problemsByPath(create.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate();
  };
  if (create.data !== undefined) {
    const { id, clientSecret } = create.data;
    return (
      <div className={style.form}>
        <p>
          Its <code>client_id</code> is <code>{id}</code> <CopyButton text={id} what="the client id" />
        </p>
        {clientSecret === null ? (
          <div>
            <Button onClick={close}>Done</Button>
          </div>
        ) : (
          <Secret text={clientSecret} what="client secret" done={close} />
        )}
      </div>
    );
  }
  return (
    <form className={style.form} onSubmit={submit} noValidate>
      <LeaveGuard isDirty={JSON.stringify(draft) !== JSON.stringify(NEW)} />
      <Fields legend="New client">
        <TextField
          label="Name"
          hint="People are shown it when they are asked."
          problem={problems.get("name")}
          maxLength={200}
          value={draft.name}
          change={(typed) => change({ name: typed })}
        />
        <Checks
          label="How it comes to tokens"
          values={GRANTS}
          chosen={draft.grants}
          change={(grants) => change({ grants })}
          words={(grant) => GRANT_WORDS[grant]}
          problem={problemUnder(problems, "grants")}
        />
        <Checks
          label="The most that it may ask for"
          values={SCOPES}
          chosen={draft.scopes}
          change={(scopes) => change({ scopes })}
          problem={problemUnder(problems, "scopes")}
        />
        {isSentBack && (
          <TextArea
            label="Where browsers are sent back to"
            hint="A line each."
            problem={problemUnder(problems, "redirectUris")}
            rows={2}
            value={draft.redirectUris}
            change={(typed) => change({ redirectUris: typed })}
          />
        )}
        <Check checked={draft.confidential} change={(confidential) => change({ confidential })}>
          It can keep a secret, as a server can
        </Check>
        <Choice
          legend="Access tokens"
          name="tokens"
          values={TOKENS}
          chosen={draft.accessTokens}
          choose={(accessTokens) => change({ accessTokens })}
          words={TOKEN_WORDS}
        />
        <FormProblem
          error={create.error}
          fields={["name", "grants", "scopes", ...(isSentBack ? ["redirectUris"] : [])]}
        />
        <div className={style.buttons}>
          <Button kind="main" type="submit" disabled={create.isPending}>
            Register it
          </Button>
          <Button onClick={close}>Cancel</Button>
        </div>
      </Fields>
    </form>
  );
};

const ClientItem = ({ client }: { client: OAuthClient }) => {
  const { id, name, grants, scopes, confidential } = client;
  const queries = useQueryClient();
  const params = { path: { id } };
  const rotate = useMutation({
    mutationFn: () => withProof(() => api.post("/v1/oauth/clients/{id}/rotate-secret", { params })),
  });
  const remove = useMutation({
    mutationFn: () => withProof(() => api.delete("/v1/oauth/clients/{id}", { params })),
    onSuccess: async () => {
      say(`“${name}” is no client any more.`);
      await queries.invalidateQueries({ queryKey: ["oauth-clients"] });
    },
  });
  return (
    <Item
      title={<bdi>{name}</bdi>}
      under={
        <>
          <code>{id}</code> · {grants.map((grant) => GRANT_WORDS[grant]).join(", ")} · {scopes.join(", ")}
          {rotate.data !== undefined && (
            <Secret text={rotate.data.clientSecret} what="client secret" done={rotate.reset} />
          )}
        </>
      }
    >
      {confidential && (
        <AskFirst
          kind="second"
          button="New secret"
          label={`New secret of ${name}`}
          title={`A new secret for “${name}”?`}
          does="Make a new secret"
          doing={rotate}
        >
          <p>The old one works no more at once: the program gets no tokens until it has the new one.</p>
        </AskFirst>
      )}
      <AskFirst
        button="Delete"
        label={`Delete ${name}`}
        title={`Delete “${name}”?`}
        does="Delete the client"
        doing={remove}
      >
        <p>All its tokens stop working at once.</p>
      </AskFirst>
    </Item>
  );
};

export const OAuthClients = () => {
  const { data, error, refetch } = useQuery(oauthClients);
  const [isNew, setNew] = useState(false);
  const create = (
    <Button data-new="" kind="main" onClick={() => setNew(true)}>
      New client
    </Button>
  );
  return (
    <Page title="OAuth clients" actions={!isNew && create}>
      {isNew && <NewClient close={() => setNew(false)} />}
      <Waiting lines={4} of={{ data, error, refetch }} />
      {data?.length === 0 && !isNew && (
        <Empty action={create}>
          No program is registered: people let programs in here, and those act by OAuth.
        </Empty>
      )}
      {data !== undefined && data.length > 0 && (
        <List label="OAuth clients">
          {data.map((client) => (
            <ClientItem key={client.id} client={client} />
          ))}
        </List>
      )}
    </Page>
  );
};
