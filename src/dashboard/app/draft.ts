import { useCallback, useState } from "react";

/** What is stored, as a form has it, and its revision. */
export interface Stored<Draft> {
  readonly draft: Draft;
  readonly tag: string | null;
}

/**
 * What is typed, with the revision that it began with. Where something else is stored meanwhile it is followed, but never
 * over what was typed: that keeps its revision, by which the service refuses to lose the other change.
 */
export const useDraft = <Draft extends object>(stored: Stored<Draft>, sentOf: (draft: Draft) => unknown) => {
  const [start, setStart] = useState(stored);
  const [draft, setDraft] = useState(stored.draft);
  const [seenTag, setSeenTag] = useState(stored.tag);
  const isSame = (one: Draft, other: Draft): boolean =>
    JSON.stringify(sentOf(one)) === JSON.stringify(sentOf(other));
  const isDirty = !isSame(draft, start.draft);
  const take = (next: Stored<Draft>) => {
    setStart(next);
    setDraft(next.draft);
  };
  if (stored.tag !== seenTag) {
    setSeenTag(stored.tag);
    // What changed is none of what the form holds.
    if (isSame(stored.draft, start.draft)) setStart({ ...start, tag: stored.tag });
    else if (!isDirty || isSame(stored.draft, draft)) take(stored);
  }
  return {
    draft,
    /** As it was stored when somebody began to type. */
    start: start.draft,
    tag: start.tag,
    isDirty,
    change: useCallback((part: Partial<Draft>) => setDraft((now) => ({ ...now, ...part })), []),
    /** What is stored, in place of what was typed. */
    take,
    /** What was sent is stored now: what has been typed since stays. */
    saved: (next: Stored<Draft>, sent: Draft) => {
      setStart(next);
      setDraft((now) => (now === sent ? next.draft : now));
    },
  };
};
