import type { GroupId } from "../../../schemas/common.ts";
import type { GroupMember, SignalGroup } from "../../domain/webhooks/group.ts";
import type { GroupRow, GroupSignalRow } from "./tables.ts";

export const groupOf = (row: GroupRow): SignalGroup => ({
  id: row.id,
  webhookId: row.webhook_id,
  accountId: row.account_id,
  sourceId: row.source_id,
  startedAt: row.started_at,
  dueAt: row.due_at,
  isFormed: row.is_formed === 1,
  signals: row.signals,
  failing: row.failing,
  beyond: row.beyond,
  told: row.told,
  toldAt: row.told_at,
  position: row.position,
});

/** The columns that change. */
export const groupChanges = (group: SignalGroup) => ({
  due_at: group.dueAt,
  is_formed: group.isFormed ? 1 : 0,
  signals: group.signals,
  failing: group.failing,
  beyond: group.beyond,
  told: group.told,
  told_at: group.toldAt,
  position: group.position,
});

export const groupRow = (group: SignalGroup): GroupRow => ({
  id: group.id,
  webhook_id: group.webhookId,
  account_id: group.accountId,
  source_id: group.sourceId,
  started_at: group.startedAt,
  ...groupChanges(group),
});

export const memberOf = (row: GroupSignalRow): GroupMember => ({
  signalId: row.signal_id,
  name: row.name,
  externalId: row.external_id,
  open: JSON.parse(row.open),
  news: row.news,
  severity: row.severity,
  eventId: row.event_id,
  since: row.since,
  sequence: row.sequence,
});

export const memberRow = (groupId: GroupId, member: GroupMember): GroupSignalRow => ({
  group_id: groupId,
  signal_id: member.signalId,
  name: member.name,
  external_id: member.externalId,
  open: JSON.stringify(member.open),
  failing: member.open.length > 0 ? 1 : 0,
  news: member.news,
  severity: member.severity,
  event_id: member.eventId,
  since: member.since,
  sequence: member.sequence,
});
