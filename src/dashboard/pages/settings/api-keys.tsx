import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api } from "../../api/client.ts";
import { me } from "../../api/queries.ts";
import { serverClock } from "../../api/server-clock.ts";
import { apiKeys } from "../../api/settings-queries.ts";
import type { ApiKey, Role } from "../../api/types.ts";
import { LeaveGuard } from "../../app/leave-guard.tsx";
import { withProof } from "../../app/proof.ts";
import { say } from "../../app/toasts.tsx";
import { Ago } from "../../parts/age.tsx";
import { AskFirst } from "../../parts/ask-first.tsx";
import { Button } from "../../parts/button.tsx";
import { Choice } from "../../parts/choice.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Fields } from "../../parts/field.tsx";
import { Item, List } from "../../parts/list.tsx";
import { Page } from "../../parts/page.tsx";
import { FormProblem } from "../../parts/problem.tsx";
import { problemsByPath } from "../../parts/problems-by-path.ts";
import { Secret } from "../../parts/secret.tsx";
import { TextField } from "../../parts/text-field.tsx";
import { Time } from "../../parts/time.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import style from "./forms.module.css";

const DAY_MS = 86_400_000;
const SCOPES = ["read", "write", "admin"] as const;
type Scope = (typeof SCOPES)[number];
/** Who may change may look, too. */
const SCOPES_OF: Readonly<Record<Scope, Scope[]>> = {
  read: ["read"],
  write: ["read", "write"],
  admin: ["read", "write", "admin"],
};
/** What somebody makes may do no more than they may themselves. */
const SCOPES_BY_ROLE: Readonly<Record<Role, readonly Scope[]>> = {
  viewer: ["read"],
  editor: ["read", "write"],
  owner: SCOPES,
};
const SCOPE_WORDS = { read: "look", write: "look and change", admin: "everything, keys too" } as const;
const LASTS = ["30", "90", "365", "ever"] as const;
const LASTS_WORDS = {
  "30": "30 days",
  "90": "90 days",
  "365": "a year",
  ever: "until it is revoked",
} as const;

const NewKey = ({ close }: { close: () => void }) => {
  const [name, setName] = useState("");
  const [scope, setScope] = useState<Scope>("read");
  const [lasts, setLasts] = useState<(typeof LASTS)[number]>("90");
  const queries = useQueryClient();
  const who = useQuery(me);
  const create = useMutation({
    mutationFn: () => {
      const expiresAt =
        lasts === "ever" ? null : new Date(serverClock.now() + Number(lasts) * DAY_MS).toISOString();
      return withProof(() =>
        api.post("/v1/api-keys", { body: { name, scopes: SCOPES_OF[scope], expiresAt } }),
      );
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: ["api-keys"] }),
  });
  const problems = problemsByPath(create.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate();
  };
  if (create.data !== undefined)
    return (
      <div className={style.form}>
        <Secret text={create.data.key} what="API key" done={close} />
        <pre className={style.example}>
          curl -H &quot;Authorization: Bearer {create.data.key}&quot; {location.origin}/v1/signals
        </pre>
      </div>
    );
  return (
    <form className={style.form} onSubmit={submit} noValidate>
      <LeaveGuard isDirty={name !== "" || scope !== "read" || lasts !== "90"} />
      <Fields legend="New API key">
        <TextField
          label="Name"
          hint="What tells it from the others, such as who uses it."
          problem={problems.get("name")}
          maxLength={200}
          value={name}
          change={setName}
        />
        <Choice
          legend="What it may do"
          name="scope"
          values={SCOPES_BY_ROLE[who.data?.role ?? "viewer"]}
          chosen={scope}
          choose={setScope}
          words={SCOPE_WORDS}
        />
        <Choice
          legend="How long"
          name="lasts"
          values={LASTS}
          chosen={lasts}
          choose={setLasts}
          words={LASTS_WORDS}
        />
        <FormProblem error={create.error} fields={["name"]} />
        <div className={style.buttons}>
          <Button kind="main" type="submit" disabled={create.isPending}>
            Create the key
          </Button>
          <Button onClick={close}>Cancel</Button>
        </div>
      </Fields>
    </form>
  );
};

const KeyItem = ({ apiKey }: { apiKey: ApiKey }) => {
  const { id, name, prefix, scopes, createdAt, expiresAt, lastUsedAt } = apiKey;
  const queries = useQueryClient();
  const revoke = useMutation({
    mutationFn: () => withProof(() => api.delete("/v1/api-keys/{id}", { params: { path: { id } } })),
    onSuccess: async () => {
      say(`“${name}” is revoked.`);
      await queries.invalidateQueries({ queryKey: ["api-keys"] });
    },
  });
  const isOver = expiresAt !== null && Date.parse(expiresAt) <= serverClock.now();
  return (
    <Item
      title={<bdi>{name}</bdi>}
      under={
        <>
          <code>{prefix}…</code> · {scopes.join(", ")} · made <Time at={Date.parse(createdAt)} /> ·{" "}
          {lastUsedAt === null ? (
            "never used"
          ) : (
            <>
              used <Ago at={Date.parse(lastUsedAt)} />
            </>
          )}
          {expiresAt !== null && (
            <>
              {" "}
              · {isOver ? "expired" : "until"} <Time at={Date.parse(expiresAt)} />
            </>
          )}
        </>
      }
    >
      <AskFirst
        button="Revoke"
        label={`Revoke ${name}`}
        title={`Revoke “${name}”?`}
        does="Revoke the key"
        doing={revoke}
      >
        <p>Whatever uses it stops within 5 seconds. That cannot be undone.</p>
      </AskFirst>
    </Item>
  );
};

export const ApiKeys = () => {
  const { data, error, refetch } = useQuery(apiKeys);
  const [isNew, setNew] = useState(false);
  const create = (
    <Button data-new="" kind="main" onClick={() => setNew(true)}>
      New key
    </Button>
  );
  return (
    <Page title="API Keys" actions={!isNew && create}>
      {isNew && <NewKey close={() => setNew(false)} />}
      <Waiting lines={4} of={{ data, error, refetch }} />
      {data?.length === 0 && !isNew && <Empty action={create}>Programs need a key to use the API.</Empty>}
      {data !== undefined && data.length > 0 && (
        <List label="API keys">
          {data.map((key) => (
            <KeyItem key={key.id} apiKey={key} />
          ))}
        </List>
      )}
    </Page>
  );
};
