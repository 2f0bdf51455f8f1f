import { Severity } from "../../../schemas/condition.ts";
import type { BoxKey, FollowedAlert, MailBox } from "../../domain/alert-mails/box.ts";
import type { MailAlertRow, MailBoxRow } from "./tables.ts";

export const boxOf = (row: MailBoxRow): MailBox => ({
  accountId: row.account_id,
  recipient: row.recipient,
  dueAt: row.due_at,
  toldAt: row.told_at,
  followed: row.followed,
  beyond: JSON.parse(row.beyond),
});

export const boxRow = (box: MailBox): MailBoxRow => ({
  account_id: box.accountId,
  recipient: box.recipient,
  due_at: box.dueAt,
  told_at: box.toldAt,
  followed: box.followed,
  beyond: JSON.stringify(box.beyond),
});

/** What is only shown of an alert. */
type Shown = Pick<FollowedAlert, "signalName" | "severity" | "value" | "limit" | "firedAt" | "resolvedAt">;
const shownOf = ({ signalName, severity, value, limit, firedAt, resolvedAt }: FollowedAlert): Shown => ({
  signalName,
  severity,
  value,
  limit,
  firedAt,
  resolvedAt,
});

export const followedOf = (row: MailAlertRow): FollowedAlert => {
  const shown: Shown = JSON.parse(row.content);
  return {
    ...shown,
    alertId: row.alert_id,
    ruleId: row.rule_id,
    ruleName: row.rule_name,
    state: row.state,
    sequence: row.sequence,
    news: row.news,
    mailId: row.mail_id,
  };
};

export const followedRow = (
  { accountId, recipient }: BoxKey,
  alert: FollowedAlert,
  updatedAt: number,
): MailAlertRow => ({
  account_id: accountId,
  recipient,
  alert_id: alert.alertId,
  rule_id: alert.ruleId,
  rule_name: alert.ruleName,
  state: alert.state,
  rank: Severity.options.indexOf(alert.severity),
  sequence: alert.sequence,
  news: alert.news,
  content: JSON.stringify(shownOf(alert)),
  mail_id: alert.mailId,
  updated_at: updatedAt,
});
