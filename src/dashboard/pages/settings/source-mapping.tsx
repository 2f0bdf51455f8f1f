import { useMutation } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import { source as sourceQuery } from "../../api/settings-queries.ts";
import type { Mapping, Source } from "../../api/types.ts";
import { ifMatch, withTag } from "../../api/with-tag.ts";
import type { Stored } from "../../app/draft.ts";
import { LeaveGuard } from "../../app/leave-guard.tsx";
import { useSavedDraft } from "../../app/saved-draft.ts";
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
  const path = { id };
  const { draft, isDirty, change, save, load, submit } = useSavedDraft({
    stored: { draft: mappingDraftOf(mapping), tag: storedTag },
    sentOf: mappingOf,
    send: async (sent, tag) => {
      const params = { path, header: ifMatch(tag) };
      const body = { mapping: mappingOf(sent) };
      const next = withTag(await api.raw.PATCH("/v1/integrations/sources/{id}", { params, body }));
      return storedOf(next.data, next.tag) ?? { draft: sent, tag: next.tag };
    },
    fetch: async (queries) => {
      const { source, tag } = await queries.fetchQuery({ ...sourceQuery(id), staleTime: 0 });
      return storedOf(source, tag);
    },
    said: "The mapping is saved.",
    queryKey: ["sources"],
  });
  const test = useMutation({
    mutationFn: () => api.post("/v1/integrations/sources/{id}/test", { params: { path } }),
  });
  const payloads = test.data?.messages.map(({ payload }) => payload) ?? [];
  return (
    <section aria-label="Mapping">
      <form className={formStyle.form} onSubmit={submit} noValidate>
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
          <Button type="submit" disabled={save.isPending || !isDirty}>
            Save the mapping
          </Button>
        </div>
      </form>
    </section>
  );
};
