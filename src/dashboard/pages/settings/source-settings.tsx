import { HIDDEN } from "../../../../schemas/hidden.ts";
import { api } from "../../api/client.ts";
import { source as sourceQuery } from "../../api/settings-queries.ts";
import type { Source } from "../../api/types.ts";
import { ifMatch, withTag } from "../../api/with-tag.ts";
import { LeaveGuard } from "../../app/leave-guard.tsx";
import { useSavedDraft } from "../../app/saved-draft.ts";
import { Button } from "../../parts/button.tsx";
import { Check } from "../../parts/check.tsx";
import { Fields, rowClass } from "../../parts/field.tsx";
import { NotSaved } from "../../parts/not-saved.tsx";
import { problemsByPath, problemUnder } from "../../parts/problems-by-path.ts";
import { TextArea, TextField } from "../../parts/text-field.tsx";
import formStyle from "./forms.module.css";
import { HandshakeFields } from "./handshake-fields.tsx";
import { changeOf, patchOf, type SourceChange } from "./source-change.ts";

interface WithTag {
  readonly source: Source;
  readonly tag: string | null;
}
const trimmed = (draft: SourceChange) => ({ ...draft, headers: draft.headers.trim() });
const storedOf = ({ source, tag }: WithTag) => ({ draft: changeOf(source), tag });

interface FieldsProps {
  readonly source: Source;
  readonly draft: SourceChange;
  readonly change: (part: Partial<SourceChange>) => void;
  readonly problems: ReadonlyMap<string, string>;
}

const headersHint = (headers: object): string => {
  const names = Object.keys(headers);
  const set = names.length === 0 ? "None are sent." : `Sent, and sealed: ${names.join(", ")}.`;
  return `${set} What you type, a line each such as Authorization: Bearer …, replaces all of them; empty: they stay.`;
};

/** Where it is, and what it is told when it is connected. */
const Connection = ({ source, draft, change, problems }: FieldsProps) => {
  if (!("url" in source)) return null;
  const said = "handshake" in source ? source.handshake.length : null;
  return (
    <>
      <div className={rowClass}>
        <TextField
          label="Address"
          hint={
            source.url.includes(HIDDEN)
              ? "For another one type it whole: what is hidden is not known here."
              : undefined
          }
          problem={problems.get("url")}
          type="url"
          value={draft.url}
          change={(url) => change({ url })}
        />
        {source.type === "http-poll" && (
          <TextField
            label="Every, seconds"
            problem={problems.get("intervalSeconds")}
            type="number"
            value={draft.intervalSeconds}
            change={(intervalSeconds) => change({ intervalSeconds })}
          />
        )}
      </div>
      <TextArea
        label="Headers"
        hint={headersHint(source.headers)}
        problem={problemUnder(problems, "headers")}
        rows={2}
        spellCheck={false}
        autoComplete="off"
        value={draft.headers}
        change={(headers) => change({ headers })}
      />
      {said !== null && (
        <Check checked={draft.handshake !== null} change={(isOn) => change({ handshake: isOn ? [] : null })}>
          Say something else once it is connected
          {said > 0 && `, in place of ${said === 1 ? "its step" : `its ${said} steps`}`}
        </Check>
      )}
      {draft.handshake !== null && (
        <HandshakeFields
          steps={draft.handshake}
          change={(handshake) => change({ handshake })}
          problems={problems}
        />
      )}
    </>
  );
};

/** Its name, and how it is reached. */
export const SourceSettings = ({ found }: { found: WithTag }) => {
  const { id } = found.source;
  const { draft, isDirty, change, save, load, submit } = useSavedDraft({
    stored: storedOf(found),
    sentOf: trimmed,
    send: async (sent, tag, start) => {
      const params = { path: { id }, header: ifMatch(tag) };
      const body = patchOf(start, sent);
      const next = withTag(await api.raw.PATCH("/v1/integrations/sources/{id}", { params, body }));
      return storedOf({ source: next.data, tag: next.tag });
    },
    fetch: async (queries) => storedOf(await queries.fetchQuery({ ...sourceQuery(id), staleTime: 0 })),
    said: "The source is saved.",
    all: ["sources"],
    one: sourceQuery(id).queryKey,
  });
  const problems = problemsByPath(save.error);
  return (
    <section aria-label="Settings">
      <form className={formStyle.form} onSubmit={submit} noValidate>
        <LeaveGuard isDirty={isDirty} />
        <Fields legend="Name and connection">
          <TextField
            label="Name"
            problem={problems.get("name")}
            maxLength={200}
            value={draft.name}
            change={(name) => change({ name })}
          />
          <Connection source={found.source} draft={draft} change={change} problems={problems} />
          <Check checked={draft.creates} change={(creates) => change({ creates })}>
            Make a signal of each name that is new
          </Check>
        </Fields>
        {save.error !== null && <NotSaved error={save.error} load={load} />}
        <div>
          <Button type="submit" disabled={save.isPending || !isDirty}>
            Save the settings
          </Button>
        </div>
      </form>
    </section>
  );
};
