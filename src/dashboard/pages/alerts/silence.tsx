import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { api } from "../../api/client.ts";
import { rules } from "../../api/queries.ts";
import { serverClock } from "../../api/server-clock.ts";
import type { Schedule } from "../../api/types.ts";
import { LeaveGuard } from "../../app/leave-guard.tsx";
import { useMayChange } from "../../app/roles.ts";
import { say } from "../../app/toasts.tsx";
import { AskEditor } from "../../parts/ask-editor.tsx";
import { Button } from "../../parts/button.tsx";
import { Choice } from "../../parts/choice.tsx";
import { Field, Fields, inputClass } from "../../parts/field.tsx";
import { Page } from "../../parts/page.tsx";
import { Problem } from "../../parts/problem.tsx";
import { problemsByPath } from "../../parts/problems-by-path.ts";
import { ScheduleFields } from "../../parts/schedule-fields.tsx";
import { TextField } from "../../parts/text-field.tsx";
import { AlertTabs } from "./alert-tabs.tsx";
import style from "./rule.module.css";
import { type Selected, selectOf } from "./select.ts";
import { SelectFields } from "./select-fields.tsx";

const HOUR_MS = 3_600_000;
const ENDS = ["1h", "4h", "24h", "7d", "resolved", "hours"] as const;
type End = (typeof ENDS)[number];
const LENGTHS_MS = { "1h": HOUR_MS, "4h": 4 * HOUR_MS, "24h": 24 * HOUR_MS, "7d": 7 * 24 * HOUR_MS } as const;
const WORDS = {
  "1h": "1 hour",
  "4h": "4 hours",
  "24h": "a day",
  "7d": "a week",
  resolved: "until what fires now resolves",
  hours: "week after week",
} as const;

interface SilenceDraft extends Selected {
  readonly reason: string;
  readonly end: End;
  readonly schedule: Schedule | null;
  readonly ruleId: string;
}

const silenceOf = ({ reason, end, schedule, ruleId, ...selected }: SilenceDraft) => ({
  reason,
  ruleIds: ruleId === "" ? null : [ruleId],
  select: selectOf(selected),
  until:
    end === "resolved" || end === "hours"
      ? null
      : new Date(serverClock.now() + LENGTHS_MS[end]).toISOString(),
  untilResolved: end === "resolved",
  schedule: end === "hours" ? schedule : null,
});

const SilenceForm = () => {
  const { ruleId = "", signalId } = useSearch({ from: "/alerts/silences/new" });
  const start: SilenceDraft = {
    reason: "",
    end: "1h",
    schedule: null,
    ruleId,
    signalIds: signalId === undefined ? [] : [signalId],
    labels: "",
    sourceId: "",
  };
  const [draft, setDraft] = useState(start);
  const known = useQuery(rules);
  const navigate = useNavigate();
  const queries = useQueryClient();
  const change = (part: Partial<SilenceDraft>) => setDraft((now) => ({ ...now, ...part }));
  const save = useMutation({
    mutationFn: () => api.post("/v1/alerts/silences", { body: silenceOf(draft) }),
    onSuccess: async ({ warnings }) => {
      say(["It is silent.", ...warnings.map(({ message }) => `▲ ${message}`)].join(" "));
      await navigate({ to: "/alerts/silences", ignoreBlocker: true });
      await queries.invalidateQueries({ queryKey: ["silences"] });
    },
  });
  const problems = problemsByPath(save.error);
  const isDirty = JSON.stringify(draft) !== JSON.stringify(start);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <>
      <LeaveGuard isDirty={isDirty && !save.isSuccess} />
      <form className={style.form} onSubmit={submit} noValidate>
        <Fields legend="The silence">
          <TextField
            label="Reason"
            hint="Others read it where they wonder why nobody told them."
            problem={problems.get("reason")}
            maxLength={500}
            required
            value={draft.reason}
            change={(typed) => change({ reason: typed })}
          />
          <Choice
            legend="How long"
            name="end"
            values={ENDS}
            chosen={draft.end}
            choose={(end) => change({ end })}
            words={WORDS}
          />
          {draft.end === "hours" && (
            <ScheduleFields
              schedule={draft.schedule}
              change={(schedule) => change({ schedule })}
              problems={problems}
              label="At these hours"
            />
          )}
          <Field label="Of this rule" problem={problems.get("ruleIds")}>
            {(input) => (
              <select
                {...input}
                className={inputClass}
                value={draft.ruleId}
                onChange={({ target }) => change({ ruleId: target.value })}
              >
                <option value="">all, and the signals' own failures</option>
                {known.data?.map(({ id, name }) => (
                  <option key={id} value={id}>
                    {name}
                  </option>
                ))}
              </select>
            )}
          </Field>
        </Fields>
        <SelectFields legend="On which signals" selected={draft} change={change} problems={problems} />
        {save.error !== null && <Problem error={save.error} />}
        <div className={style.save}>
          <Button kind="main" type="submit" disabled={save.isPending}>
            Silence
          </Button>
        </div>
      </form>
    </>
  );
};

export const NewSilence = () => {
  const mayChange = useMayChange();
  return (
    <Page title="New silence">
      <AlertTabs />
      {mayChange ? (
        <SilenceForm />
      ) : (
        <p>
          <AskEditor to="silence alerts" />
        </p>
      )}
    </Page>
  );
};
