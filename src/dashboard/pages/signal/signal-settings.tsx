import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { api } from "../../api/client.ts";
import { signal as signalQuery } from "../../api/queries.ts";
import type { Signal, WithTag } from "../../api/types.ts";
import { ifMatch, withTag } from "../../api/with-tag.ts";
import { LeaveGuard } from "../../app/leave-guard.tsx";
import { useSavedDraft } from "../../app/saved-draft.ts";
import { say } from "../../app/toasts.tsx";
import { AskFirst } from "../../parts/ask-first.tsx";
import { Button } from "../../parts/button.tsx";
import { Choice } from "../../parts/choice.tsx";
import { rowClass } from "../../parts/field.tsx";
import { NotSaved } from "../../parts/not-saved.tsx";
import { pairsOf, pairsText } from "../../parts/pairs.ts";
import { problemsByPath } from "../../parts/problems-by-path.ts";
import { TextArea, TextField } from "../../parts/text-field.tsx";
import style from "./signal.module.css";

const SILENCES = ["auto", "seconds", "never"] as const;
const SILENCE_WORDS = {
  auto: "fails when it is silent for unusually long",
  seconds: "after seconds of silence",
  never: "may be silent",
} as const;

interface SignalDraft {
  readonly name: string;
  readonly externalId: string;
  readonly labels: string;
  readonly threshold: string;
  readonly hysteresis: string;
  readonly floorDbm: string;
  readonly ceilingDbm: string;
  readonly silence: (typeof SILENCES)[number];
  readonly seconds: string;
}

const draftOf = (signal: Signal): SignalDraft => {
  const { noDataAfterSeconds: silence } = signal;
  return {
    name: signal.name,
    externalId: signal.externalId ?? "",
    labels: pairsText(signal.labels),
    threshold: String(signal.threshold),
    hysteresis: String(signal.hysteresis),
    floorDbm: String(signal.floorDbm),
    ceilingDbm: String(signal.ceilingDbm),
    silence: silence === null ? "never" : silence === "auto" ? "auto" : "seconds",
    seconds: typeof silence === "number" ? String(silence) : "300",
  };
};

const storedOf = (signal: WithTag<Signal>) => ({ draft: draftOf(signal), tag: signal.tag });

const silenceOf = ({ silence, seconds }: SignalDraft): number | "auto" | null => {
  if (silence === "never") return null;
  return silence === "auto" ? "auto" : Number(seconds);
};

const signalOf = (draft: SignalDraft) => ({
  name: draft.name,
  externalId: draft.externalId.trim() === "" ? null : draft.externalId,
  labels: pairsOf(draft.labels),
  threshold: Number(draft.threshold),
  hysteresis: Number(draft.hysteresis),
  floorDbm: Number(draft.floorDbm),
  ceilingDbm: Number(draft.ceilingDbm),
  noDataAfterSeconds: silenceOf(draft),
});

const NUMBERS = [
  ["threshold", "Fails below, quality"],
  ["hysteresis", "Well above that by, quality"],
  ["floorDbm", "Quality 0 %, dBm"],
  ["ceilingDbm", "Quality 100 %, dBm"],
] as const;

const Remove = ({ id, name }: Pick<Signal, "id" | "name">) => {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => api.delete("/v1/signals/{id}", { params: { path: { id } } }),
    onSuccess: async () => {
      say(`“${name}” is deleted.`);
      // A list that stands still in a pause would have it for as long.
      queries.removeQueries({ queryKey: ["signals", "list"] });
      await navigate({ to: "/signals", ignoreBlocker: true });
    },
  });
  return (
    <AskFirst button="Delete" title={`Delete “${name}”?`} does="Delete the signal" doing={remove}>
      <p>Its history goes with it. A source that goes on sending its name makes it anew.</p>
    </AskFirst>
  );
};

/** What a signal is called, and when it fails by itself. */
export const SignalSettings = ({ signal }: { signal: WithTag<Signal> }) => {
  const { id } = signal;
  const { draft, isDirty, change, save, load, submit } = useSavedDraft({
    stored: storedOf(signal),
    sentOf: signalOf,
    send: async (sent, tag) => {
      const params = { path: { id }, header: ifMatch(tag) };
      const next = withTag(await api.raw.PATCH("/v1/signals/{id}", { params, body: signalOf(sent) }));
      return storedOf({ ...next.data, tag: next.tag });
    },
    fetch: async (queries) => storedOf(await queries.fetchQuery({ ...signalQuery(id), staleTime: 0 })),
    said: "The signal is saved.",
    all: ["signals"],
    one: signalQuery(id).queryKey,
  });
  const problems = problemsByPath(save.error);
  return (
    <form className={style.form} onSubmit={submit} noValidate>
      <LeaveGuard isDirty={isDirty} />
      <div className={rowClass}>
        {(["name", "externalId"] as const).map((name) => (
          <TextField
            key={name}
            label={name === "name" ? "Name" : "Name at its source"}
            problem={problems.get(name)}
            maxLength={200}
            value={draft[name]}
            change={(typed) => change({ [name]: typed })}
          />
        ))}
      </div>
      <div className={rowClass}>
        {NUMBERS.map(([name, label]) => (
          <TextField
            key={name}
            label={label}
            problem={problems.get(name)}
            type="number"
            step="any"
            value={draft[name]}
            change={(typed) => change({ [name]: typed })}
          />
        ))}
      </div>
      <Choice
        legend="Silence"
        name="silence"
        values={SILENCES}
        chosen={draft.silence}
        choose={(silence) => change({ silence })}
        words={SILENCE_WORDS}
      />
      {draft.silence === "seconds" && (
        <TextField
          label="Seconds"
          problem={problems.get("noDataAfterSeconds")}
          type="number"
          value={draft.seconds}
          change={(typed) => change({ seconds: typed })}
        />
      )}
      <TextArea
        label="Labels"
        hint="Such as site=north, a line each."
        problem={problems.get("labels")}
        rows={2}
        value={draft.labels}
        change={(typed) => change({ labels: typed })}
      />
      {save.error !== null && <NotSaved error={save.error} load={load} />}
      <div className={style.buttons}>
        <Button kind="main" type="submit" disabled={save.isPending || !isDirty}>
          Save
        </Button>
        <Remove id={id} name={signal.name} />
      </div>
    </form>
  );
};
