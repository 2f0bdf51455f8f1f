import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { rejectedMessages, source as sourceQuery } from "../../api/settings-queries.ts";
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
import { messagesOf, Sample } from "./sample.tsx";
import { Tried } from "./tried.tsx";

interface MappingProps {
  readonly id: string;
  readonly mapping: Mapping;
  readonly tag: string | null;
  /** Whether it sends to us: nothing can be asked of it. */
  readonly isPush: boolean;
}

/** Null: what it sends is no messages. */
const storedOf = (source: Source, tag: string | null): Stored<MappingDraft> | null =>
  "mapping" in source ? { draft: mappingDraftOf(source.mapping), tag } : null;

interface ComesProps {
  readonly id: string;
  /** Takes messages, as text. */
  readonly take: (payloads: readonly string[]) => void;
}

/** Messages that come while somebody waits. */
const WhatComes = ({ id, take }: ComesProps) => {
  const test = useMutation({
    mutationFn: () => api.post("/v1/integrations/sources/{id}/test", { params: { path: { id } } }),
    onSuccess: ({ messages }) => take(messages.map(({ payload }) => payload)),
  });
  return (
    <>
      <div className={formStyle.buttons}>
        <Button disabled={test.isPending} onClick={() => test.mutate()}>
          {test.isPending ? "Connecting, up to 10 s …" : "See what comes"}
        </Button>
      </div>
      {test.error !== null && <Problem error={test.error} />}
      {test.data !== undefined && <Tried tried={test.data} />}
    </>
  );
};

/** Messages that were sent and rejected, or one that somebody has at hand. */
const WhatCame = ({ id, take }: ComesProps) => {
  const [sample, setSample] = useState("");
  const look = useMutation({
    mutationFn: () => rejectedMessages(id),
    onSuccess: (payloads) => {
      setSample("");
      take(payloads);
    },
  });
  return (
    <>
      <div className={formStyle.buttons}>
        <Button disabled={look.isPending} onClick={() => look.mutate()}>
          See what was rejected
        </Button>
      </div>
      {look.error !== null && <Problem error={look.error} />}
      {look.data?.length === 0 && <p role="status">Nothing was rejected.</p>}
      <Sample
        text={sample}
        change={(text) => {
          setSample(text);
          take(messagesOf(text));
        }}
      />
    </>
  );
};

/** Which values of a source's messages are readings, tried on what it sends. */
export const SourceMapping = ({ id, mapping, tag: storedTag, isPush }: MappingProps) => {
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
    all: ["sources"],
    one: sourceQuery(id).queryKey,
  });
  const [payloads, setPayloads] = useState<readonly string[]>([]);
  return (
    <section aria-label="Mapping">
      <form className={formStyle.form} onSubmit={submit} noValidate>
        <LeaveGuard isDirty={isDirty} />
        <h2>Its mapping</h2>
        {isPush ? <WhatCame id={id} take={setPayloads} /> : <WhatComes id={id} take={setPayloads} />}
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
