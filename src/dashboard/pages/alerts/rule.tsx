import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { api } from "../../api/client.ts";
import { ruleWithTag } from "../../api/queries.ts";
import type { Rule } from "../../api/types.ts";
import { ifMatch } from "../../api/with-tag.ts";
import { type Stored, useDraft } from "../../app/draft.ts";
import { LeaveGuard } from "../../app/leave-guard.tsx";
import { useMayChange } from "../../app/roles.ts";
import { say } from "../../app/toasts.tsx";
import { AskEditor } from "../../parts/ask-editor.tsx";
import { AskFirst } from "../../parts/ask-first.tsx";
import { Button } from "../../parts/button.tsx";
import { Check } from "../../parts/check.tsx";
import { Fields } from "../../parts/field.tsx";
import { NotSaved } from "../../parts/not-saved.tsx";
import { Page } from "../../parts/page.tsx";
import { problemsByPath } from "../../parts/problems-by-path.ts";
import { ScheduleFields } from "../../parts/schedule-fields.tsx";
import { TextField } from "../../parts/text-field.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import { AlertTabs } from "./alert-tabs.tsx";
import { ConditionFields } from "./condition-fields.tsx";
import style from "./rule.module.css";
import { draftOf, NEW_RULE, type RuleBody, type RuleDraft, ruleOf } from "./rule-draft.ts";
import { RulePreview } from "./rule-preview.tsx";
import { SelectFields } from "./select-fields.tsx";
import { ToldFields } from "./told-fields.tsx";

interface FormProps {
  readonly stored: Stored<RuleDraft>;
  /** Null: it is a new one. */
  readonly id: string | null;
  readonly signalId: string | null;
}

const useSaved = (id: string | null, tag: string | null, done: () => void) => {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: RuleBody) =>
      id === null
        ? api.post("/v1/alerts/rules", { body })
        : api.patch("/v1/alerts/rules/{id}", { params: { path: { id }, header: ifMatch(tag) }, body }),
    onSuccess: async ({ name, warnings }) => {
      done();
      say([`“${name}” is saved.`, ...warnings.map(({ message }) => `▲ ${message}`)].join(" "));
      await queries.invalidateQueries({ queryKey: ["rules"] });
    },
  });
};

const Remove = ({ id, draft }: { id: string; draft: RuleDraft }) => {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () => api.delete("/v1/alerts/rules/{id}", { params: { path: { id } } }),
    onSuccess: async () => {
      const again = async () => {
        await api.post("/v1/alerts/rules", { body: ruleOf(draft) });
        await queries.invalidateQueries({ queryKey: ["rules"] });
      };
      say(`“${draft.name}” is deleted.`, again);
      await navigate({ to: "/alerts/rules", ignoreBlocker: true });
      await queries.invalidateQueries({ queryKey: ["rules", "list"] });
    },
  });
  return (
    <AskFirst button="Delete" title={`Delete “${draft.name}”?`} does="Delete the rule" doing={remove}>
      <p>What it fires resolves. Alerts that were stay in the list.</p>
    </AskFirst>
  );
};

const storedOf = ({ rule, tag }: { rule: Rule; tag: string | null }): Stored<RuleDraft> => ({
  draft: draftOf(rule),
  tag,
});

const RuleForm = ({ stored, id, signalId }: FormProps) => {
  const { draft, start, tag, isDirty, change, take } = useDraft(stored, ruleOf);
  const [refusal, setRefusal] = useState<unknown>(null);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const mayChange = useMayChange();
  const save = useSaved(id, tag, () => void navigate({ to: "/alerts/rules", ignoreBlocker: true }));
  const load = async () => {
    if (id === null) return;
    take(storedOf(await queries.fetchQuery({ ...ruleWithTag(id), staleTime: 0 })));
    save.reset();
  };
  const problems = new Map([...problemsByPath(refusal, "rule."), ...problemsByPath(save.error)]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(ruleOf(draft));
  };
  const fields = { draft, change, problems };
  return (
    <div className={style.page}>
      <LeaveGuard isDirty={isDirty && !save.isSuccess} />
      <form className={style.form} onSubmit={submit} noValidate>
        {/* Before anything is typed. */}
        {!mayChange && (
          <p>
            You may look at rules and try them. <AskEditor to="save one" />
          </p>
        )}
        <Fields legend="The rule">
          <TextField
            label="Name"
            problem={problems.get("name")}
            maxLength={200}
            required
            value={draft.name}
            change={(typed) => change({ name: typed })}
          />
          <Check checked={draft.enabled} change={(enabled) => change({ enabled })}>
            Enabled
          </Check>
          <Check checked={draft.failsSignal} change={(failsSignal) => change({ failsSignal })}>
            A signal on which it fires is failed
          </Check>
        </Fields>
        <ConditionFields {...fields} />
        <SelectFields legend="On which signals" selected={draft} change={change} problems={problems} />
        <Fields legend="When it looks">
          <ScheduleFields
            schedule={draft.schedule}
            change={(schedule) => change({ schedule })}
            problems={problems}
            label="Only at certain hours"
          />
        </Fields>
        <ToldFields {...fields} />
        {save.error !== null && <NotSaved error={save.error} load={load} />}
        {mayChange && (
          <div className={style.save}>
            <Button kind="main" type="submit" disabled={save.isPending}>
              {id === null ? "Create the rule" : "Save"}
            </Button>
            {id !== null && <Remove id={id} draft={start} />}
          </div>
        )}
      </form>
      <RulePreview draft={draft} change={change} signalId={signalId} refused={setRefusal} />
    </div>
  );
};

export const NewRule = () => {
  const { signalId } = useSearch({ from: "/alerts/rules/new" });
  return (
    <Page title="New rule">
      <AlertTabs />
      <RuleForm
        stored={{
          draft: signalId === undefined ? NEW_RULE : { ...NEW_RULE, signalIds: [signalId] },
          tag: null,
        }}
        id={null}
        signalId={signalId ?? null}
      />
    </Page>
  );
};

export const RulePage = () => {
  const { id } = useParams({ from: "/alerts/rules/$id" });
  const { signalId } = useSearch({ from: "/alerts/rules/$id" });
  const { data, error, refetch } = useQuery(ruleWithTag(id));
  return (
    <Page title={data?.rule.name ?? "Rule"}>
      <AlertTabs />
      <Waiting lines={8} of={{ data, error, refetch }} />
      {data !== undefined && (
        <RuleForm key={id} stored={storedOf(data)} id={id} signalId={signalId ?? null} />
      )}
    </Page>
  );
};
