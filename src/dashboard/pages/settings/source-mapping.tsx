import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import { source as sourceQuery } from "../../api/settings-queries.ts";
import type { Mapping, Source } from "../../api/types.ts";
import { ifMatch, withTag } from "../../api/with-tag.ts";
import { type Stored, useDraft } from "../../app/draft.ts";
import { LeaveGuard } from "../../app/leave-guard.tsx";
import { say } from "../../app/toasts.tsx";
import { Button } from "../../parts/button.tsx";
import { NotSaved } from "../../parts/not-saved.tsx";
import { Problem } from "../../parts/problem.tsx";
import formStyle from "./forms.module.css";
import { type MappingDraft, MappingFields, mappingDraftOf, mappingOf } from "./mapping-fields.tsx";
import { Tried } from "./tried.tsx";

interface MappingProps {
  readonly id: string;
  readonly mapping: Mapping;
  readonly tag: string | null;
}

/** Null: what it sends is no messages. */
const storedOf = (source: Source, tag: string | null): Stored<MappingDraft> | null =>
  "mapping" in source ? { draft: mappingDraftOf(source.mapping), tag } : null;

/** Which values of a source's messages are readings, tried on what it sends now. */
export const SourceMapping = ({ id, mapping, tag: storedTag }: MappingProps) => {
  const stored = { draft: mappingDraftOf(mapping), tag: storedTag };
  const { draft, tag, isDirty, change, take, saved } = useDraft(stored, mappingOf);
  const queries = useQueryClient();
  const path = { id };
  const test = useMutation({
    mutationFn: () => api.post("/v1/integrations/sources/{id}/test", { params: { path } }),
  });
  const save = useMutation({
    mutationFn: async (sent: MappingDraft) => {
      const params = { path, header: ifMatch(tag) };
      const body = { mapping: mappingOf(sent) };
      return withTag(await api.raw.PATCH("/v1/integrations/sources/{id}", { params, body }));
    },
    onSuccess: async ({ data, tag: next }, sent) => {
      saved(storedOf(data, next) ?? { draft: sent, tag: next }, sent);
      say("The mapping is saved.");
      await queries.invalidateQueries({ queryKey: ["sources"] });
    },
  });
  const load = async () => {
    const found = await queries.fetchQuery({ ...sourceQuery(id), staleTime: 0 });
    const next = storedOf(found.source, found.tag);
    if (next !== null) take(next);
    save.reset();
  };
  const payloads = test.data?.messages.map(({ payload }) => payload) ?? [];
  return (
    <section aria-label="Mapping" className={formStyle.form}>
      <LeaveGuard isDirty={isDirty} />
      <h2>What it says</h2>
      <div className={formStyle.buttons}>
        <Button disabled={test.isPending} onClick={() => test.mutate()}>
          {test.isPending ? "Connecting, up to 10 s …" : "See what comes"}
        </Button>
      </div>
      {test.error !== null && <Problem error={test.error} />}
      {test.data !== undefined && <Tried tried={test.data} />}
      <MappingFields draft={draft} change={change} payloads={payloads} />
      {save.error !== null && <NotSaved error={save.error} load={load} />}
      <div>
        <Button disabled={save.isPending || !isDirty} onClick={() => save.mutate(draft)}>
          Save the mapping
        </Button>
      </div>
    </section>
  );
};
