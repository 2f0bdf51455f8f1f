import type { Source } from "../../api/types.ts";
import { pairsOf } from "../../parts/pairs.ts";
import { type StepDraft, stepOf } from "./source-draft.ts";

/** What of a source can be changed, while it is typed. Secrets are never shown: what is typed replaces them. */
export interface SourceChange {
  readonly name: string;
  /** What its query says is shown by name only. */
  readonly url: string;
  /** `Name: value`, a line each, in place of all there are. Empty: they stay. */
  readonly headers: string;
  /** In place of what is said once it is connected; null: that stays. */
  readonly handshake: readonly StepDraft[] | null;
  readonly intervalSeconds: string;
  /** Whether names that are new get a signal. */
  readonly creates: boolean;
}

/** What of it is looked at; not every type has all. */
type Changed = Pick<Source, "name" | "unknownSignals"> & {
  readonly url?: string;
  readonly intervalSeconds?: number;
};

export const changeOf = ({ name, url, intervalSeconds, unknownSignals }: Changed): SourceChange => ({
  name,
  url: url ?? "",
  headers: "",
  handshake: null,
  intervalSeconds: intervalSeconds === undefined ? "" : String(intervalSeconds),
  creates: unknownSignals === "create",
});

/** What was changed, as the API takes it; an address that was shown with its secrets hidden is not sent back. */
export const patchOf = (start: SourceChange, draft: SourceChange) => ({
  ...(draft.name === start.name ? {} : { name: draft.name }),
  ...(draft.url === start.url ? {} : { url: draft.url }),
  ...(draft.headers.trim() === "" ? {} : { headers: pairsOf(draft.headers, ":") }),
  ...(draft.handshake === null ? {} : { handshake: draft.handshake.map(stepOf) }),
  ...(draft.intervalSeconds === start.intervalSeconds
    ? {}
    : { intervalSeconds: Number(draft.intervalSeconds) }),
  ...(draft.creates === start.creates
    ? {}
    : { unknownSignals: draft.creates ? ("create" as const) : ("reject" as const) }),
});
