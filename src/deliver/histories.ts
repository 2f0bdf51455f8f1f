import { AUDIT_DAYS } from "../domain/access/limits.ts";
import { HISTORY_DAYS } from "../domain/webhooks/schedule.ts";
import type { ControlStore } from "../ports/control-store.ts";
import type { History } from "./history-pruner.ts";

const DAY_MS = 86_400_000;
/** By then the time series has long had what became of an alert. */
const RESOLVED_KEPT_MS = DAY_MS;
/** What became of an e-mail, and of whom it told. */
const MAILS_KEPT_MS = 30 * DAY_MS;

type Kept = Pick<ControlStore, "access" | "alertMails" | "alerts" | "audit" | "deliveries" | "mails">;

export interface HistoryDays {
  /** How long finished deliveries are kept; unless given, 30 days. */
  readonly historyDays?: number;
  /** For how long the audit log is kept. */
  readonly auditDays?: number;
}

/** What is forgotten some time after its end. */
export const historiesOf = (
  { access, alertMails, alerts, audit, deliveries, mails }: Kept,
  { historyDays = HISTORY_DAYS, auditDays = AUDIT_DAYS }: HistoryDays,
): readonly History[] => [
  { keptMs: historyDays * DAY_MS, prune: (before, limit) => deliveries.prune(before, limit) },
  { keptMs: RESOLVED_KEPT_MS, prune: (before, limit) => alerts.prune(before, limit) },
  // Links, sessions and counts of attempts that are over.
  { keptMs: 0, prune: (before, limit) => access.prune(before, limit) },
  { keptMs: auditDays * DAY_MS, prune: (before, limit) => audit.prune(before, limit) },
  { keptMs: MAILS_KEPT_MS, prune: (before, limit) => mails.prune(before, limit) },
  { keptMs: MAILS_KEPT_MS, prune: (before, limit) => alertMails.prune(before, limit) },
];
