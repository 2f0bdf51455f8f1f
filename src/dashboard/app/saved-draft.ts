import { type QueryClient, type QueryKey, useMutation, useQueryClient } from "@tanstack/react-query";
import type { FormEvent } from "react";
import { type Stored, useDraft } from "./draft.ts";
import { renewOwn } from "./own-change.ts";
import { say } from "./toasts.tsx";

interface Saving<Draft extends object> {
  readonly stored: Stored<Draft>;
  /** What of a draft tells it from another. */
  readonly sentOf: (draft: Draft) => unknown;
  /** Changes what is stored, at that revision alone; gives what is stored by then. */
  readonly send: (draft: Draft, tag: string | null, start: Draft) => Promise<Stored<Draft>>;
  /** What is stored now; null: there is nothing of the kind any more. */
  readonly fetch: (queries: QueryClient) => Promise<Stored<Draft> | null>;
  readonly said: string;
  /** Keys of all queries that show it, and of the one that is of it alone. */
  readonly all: QueryKey;
  readonly one: QueryKey;
}

/** A form that changes what is stored: see `useDraft`. `load` puts what is stored in place of what was typed. */
export const useSavedDraft = <Draft extends object>(saving: Saving<Draft>) => {
  const { stored, sentOf, send, fetch, said, all, one } = saving;
  const { draft, start, tag, isDirty, change, take, saved } = useDraft(stored, sentOf);
  const queries = useQueryClient();
  const save = useMutation({
    mutationFn: (sent: Draft) => send(sent, tag, start),
    onSuccess: async (next, sent) => {
      saved(next, sent);
      say(said);
      await renewOwn(queries, all, one);
    },
  });
  const load = async () => {
    const next = await fetch(queries);
    if (next !== null) take(next);
    save.reset();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(draft);
  };
  return { draft, isDirty, change, save, load, submit };
};
