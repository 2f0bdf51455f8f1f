import type { Alert } from "../../api/types.ts";
import type { Range } from "../../chart/range.ts";

const BESIDE_MS = 15 * 60_000;
/** Longer ones show how they began. */
const SPAN_MAX_MS = 24 * 3_600_000;

type Timed = Pick<Alert, "firedAt" | "pendingSince" | "resolvedAt">;

const beganMs = ({ firedAt, pendingSince }: Timed): number => Date.parse(firedAt ?? pendingSince ?? "");
export const endedMs = ({ resolvedAt }: Timed): number | null =>
  resolvedAt === null ? null : Date.parse(resolvedAt);

/** A quarter of an hour before and after, to the minute; as long as that is to come, it ends now. */
export const rangeAround = (alert: Timed, nowMs: number): Range => {
  const began = beganMs(alert);
  const end = Math.min(endedMs(alert) ?? Number.POSITIVE_INFINITY, began + SPAN_MAX_MS);
  const untilMs = Math.ceil((end + BESIDE_MS) / 60_000) * 60_000;
  const toMs = Math.max(Math.min(untilMs, nowMs), began + 60_000);
  return { fromMs: began - BESIDE_MS, toMs, isLive: nowMs < untilMs };
};
