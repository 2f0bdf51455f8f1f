import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { api } from "../../api/client.ts";
import type { SourceTried } from "../../api/types.ts";
import { LeaveGuard } from "../../app/leave-guard.tsx";
import { useMayChange } from "../../app/roles.ts";
import { say } from "../../app/toasts.tsx";
import { AskEditor } from "../../parts/ask-editor.tsx";
import { Button } from "../../parts/button.tsx";
import { Choice } from "../../parts/choice.tsx";
import { Fields, rowClass } from "../../parts/field.tsx";
import { Page } from "../../parts/page.tsx";
import { Problem } from "../../parts/problem.tsx";
import { problemsByPath, problemUnder } from "../../parts/problems-by-path.ts";
import { TextArea, TextField } from "../../parts/text-field.tsx";
import formStyle from "./forms.module.css";
import { HandshakeFields } from "./handshake-fields.tsx";
import { MappingFields, mappingOf, NEW_MAPPING } from "./mapping-fields.tsx";
import { messagesOf, Sample } from "./sample.tsx";
import style from "./source.module.css";
import { connectionOf, hostOf, NEW_SOURCE, type SourceDraft } from "./source-draft.ts";
import { Tried } from "./tried.tsx";

const TYPES: readonly SourceDraft["type"][] = ["websocket", "http-poll", "http-stream", "push"];
const TYPE_WORDS = {
  websocket: "WebSocket",
  "http-poll": "an address that is asked",
  "http-stream": "a stream over HTTP",
  push: "it sends to us",
} as const;

interface ConnectionProps {
  readonly draft: SourceDraft;
  readonly change: (part: Partial<SourceDraft>) => void;
  readonly problems: ReadonlyMap<string, string>;
}

const ConnectionFields = ({ draft, change, problems }: ConnectionProps) => {
  const { type } = draft;
  return (
    <Fields legend="Where it is">
      <Choice
        legend="Kind of source"
        name="type"
        values={TYPES}
        chosen={type}
        choose={(next) => change({ type: next })}
        words={TYPE_WORDS}
      />
      {type === "push" ? (
        <p>
          It gets an address of its own once it is saved; messages are sent there by POST with an API key.
        </p>
      ) : (
        <>
          <div className={rowClass}>
            <TextField
              label="Address"
              problem={problems.get("url")}
              type="url"
              placeholder={
                type === "websocket" ? "wss://feed.example/readings" : "https://feed.example/readings"
              }
              value={draft.url}
              change={(typed) => change({ url: typed })}
            />
            {type === "http-poll" && (
              <TextField
                label="Every, seconds"
                problem={problems.get("intervalSeconds")}
                type="number"
                value={draft.intervalSeconds}
                change={(typed) => change({ intervalSeconds: typed })}
              />
            )}
          </div>
          <TextArea
            label="Headers"
            hint="Such as Authorization: Bearer …, a line each. Values are sealed, and never shown again."
            problem={problemUnder(problems, "headers")}
            rows={2}
            spellCheck={false}
            autoComplete="off"
            value={draft.headers}
            change={(typed) => change({ headers: typed })}
          />
          {type === "websocket" && (
            <HandshakeFields
              steps={draft.handshake}
              change={(handshake) => change({ handshake })}
              problems={problems}
            />
          )}
        </>
      )}
    </Fields>
  );
};

/** What came, and of what. */
interface Trial {
  readonly of: SourceDraft;
  readonly answer: SourceTried;
  readonly payloads: readonly string[];
}
const isSame = (one: SourceDraft, other: SourceDraft): boolean =>
  JSON.stringify(connectionOf(one)) === JSON.stringify(connectionOf(other));

const ConnectForm = () => {
  const [draft, setDraft] = useState(NEW_SOURCE);
  const [mapping, setMapping] = useState(NEW_MAPPING);
  const [name, setName] = useState("");
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [sample, setSample] = useState("");
  const [tried, setTried] = useState<Trial | null>(null);
  const test = useMutation({
    // What the messages come to is seen here: the mapping may be half made.
    mutationFn: (of: SourceDraft) =>
      api.post("/v1/integrations/sources/test", { body: { ...connectionOf(of), name: "new" } }),
    onSuccess: (answer, of) =>
      setTried({ answer, of, payloads: answer.messages.map(({ payload }) => payload) }),
  });
  const save = useMutation({
    mutationFn: () =>
      api.post("/v1/integrations/sources", {
        body: { ...connectionOf(draft), name, mapping: mappingOf(mapping) },
      }),
    onSuccess: async ({ id, name: saved, type }) => {
      say(type === "push" ? `“${saved}” is saved.` : `“${saved}” is saved, and connects now.`);
      // Its page shows its signals as they come.
      await navigate({ to: "/settings/integrations/$id", params: { id }, ignoreBlocker: true });
      await queries.invalidateQueries({ queryKey: ["sources"] });
    },
  });
  const problems = new Map([...problemsByPath(test.error), ...problemsByPath(save.error)]);
  const isPush = draft.type === "push";
  const connect = (event: FormEvent) => {
    event.preventDefault();
    test.mutate(draft);
  };
  const keep = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  const isOther = !isPush && tried !== null && !isSame(tried.of, draft);
  return (
    <Page title={`Connect ${name.trim() || (hostOf(draft) ?? "a source")}`}>
      <LeaveGuard isDirty={(draft !== NEW_SOURCE || name !== "") && !save.isSuccess} />
      <div className={style.page}>
        <form className={formStyle.form} onSubmit={connect} noValidate>
          <ConnectionFields
            draft={draft}
            change={(part) => setDraft((now) => ({ ...now, ...part }))}
            problems={problems}
          />
          {!isPush && (
            <div>
              <Button kind="main" type="submit" disabled={test.isPending}>
                {test.isPending ? "Connecting, up to 10 s …" : tried === null ? "Connect" : "Connect again"}
              </Button>
            </div>
          )}
          {test.error !== null && <Problem error={test.error} />}
          {!isPush && tried !== null && <Tried tried={tried.answer} />}
          {isOther && (
            <p role="status">
              ▲ You have changed what it was connected by since: connect again before you save.
            </p>
          )}
        </form>
        {(isPush || tried !== null) && (
          <form className={formStyle.form} onSubmit={keep} noValidate>
            {isPush && <Sample text={sample} change={setSample} />}
            <MappingFields
              draft={mapping}
              change={setMapping}
              payloads={isPush ? messagesOf(sample) : (tried?.payloads ?? [])}
            />
            <Fields legend="What it is called">
              <TextField
                label="Name"
                problem={problems.get("name")}
                maxLength={200}
                value={name}
                change={setName}
              />
            </Fields>
            {save.error !== null && <Problem error={save.error} />}
            <div>
              <Button kind="main" type="submit" disabled={save.isPending || isOther}>
                Save
              </Button>
            </div>
          </form>
        )}
      </div>
    </Page>
  );
};

/** Connects a source: where it is, what came, which values are readings, and its name. */
export const Connect = () => {
  const mayChange = useMayChange();
  if (mayChange) return <ConnectForm />;
  return (
    <Page title="Connect a source">
      <p>
        <AskEditor to="connect a source" />
      </p>
    </Page>
  );
};
