import type { Source } from "../../api/types.ts";
import { StatusMark } from "../../parts/status.tsx";

const MARKS = {
  connected: "active",
  connecting: "degraded",
  waiting: "degraded",
  paused: "paused",
  disabled: "paused",
  failed: "failed",
} as const;

export const SourceMark = ({ state }: Pick<Source, "state">) => (
  <StatusMark status={MARKS[state]} label={state} />
);
