import type { SignalId } from "../../../schemas/common.ts";
import type { Severity } from "../../../schemas/condition.ts";
import type { SignalServiceEvent } from "../../../schemas/event.ts";
import type { WebhookGroups } from "../../../schemas/webhook.ts";
import { GROUP_SIGNALS_MAX, type GroupMember, nextUpdateAt, OPEN_MAX, type SignalGroup } from "./group.ts";
import { effectOf, isToldByGroup, openAfter } from "./group-effect.ts";

/** An event of a signal at its place, which its webhook's settings are asked about. */
export interface GroupInput {
  readonly signalId: SignalId;
  readonly event: SignalServiceEvent;
  readonly position: number;
  readonly settings: WebhookGroups;
  readonly nowMs: number;
}

/** A group and its member after an event, and what becomes of the event's delivery, if there is to be one. */
export interface GroupStep {
  readonly group: SignalGroup;
  /** Null: the signal is not followed. */
  readonly member: GroupMember | null;
  readonly becomes: "pending" | "held" | "grouped";
  /** Whether the group's notification tells it: if held, it becomes grouped once the group is formed. */
  readonly isTold: boolean;
}

const RANK: Readonly<Record<Severity, number>> = { info: 1, warning: 2, critical: 3 };
const rankOf = (severity: Severity | null): number => (severity === null ? 0 : RANK[severity]);
const highest = (a: Severity | null, b: Severity | null): Severity | null => (rankOf(a) < rankOf(b) ? b : a);

const begun = ({ signalId, event }: GroupInput): GroupMember => ({
  signalId,
  name: event.data.signal?.name ?? "",
  externalId: event.data.signal?.externalId ?? null,
  open: [],
  news: "failed",
  severity: null,
  eventId: event.id,
  since: Date.parse(event.createdAt),
  sequence: 0,
});

/** One that failed again before its recovery was told is as it was told; unless it is worse now. */
const failed = (before: GroupMember, opens: string, { event }: GroupInput): GroupMember => {
  const wasWell = before.open.length === 0;
  const severity = highest(wasWell ? null : before.severity, event.data.alert?.severity ?? null);
  const isWorse = rankOf(severity) > rankOf(before.severity);
  const open = [...openAfter(before.open, opens), opens].slice(0, OPEN_MAX);
  const changed = wasWell || isWorse ? { eventId: event.id, since: Date.parse(event.createdAt) } : {};
  const news = isWorse || before.news === "failed" ? "failed" : null;
  return { ...before, ...changed, open, severity, news, sequence: event.sequence ?? before.sequence };
};

/** A signal that is failed gets worse than was said of it: that does not wait for the interval. */
const escalates = (before: GroupMember, opens: string, input: GroupInput): boolean =>
  before.severity !== null &&
  before.open.length > 0 &&
  rankOf(failed(before, opens, input).severity) > rankOf(before.severity);

/** A failure that the webhook wants. */
const fail = (
  group: SignalGroup,
  member: GroupMember | null,
  opens: string,
  input: GroupInput,
): GroupStep => {
  const { settings, nowMs, position } = input;
  // While all are well it is due for telling so, which does not hold any more.
  const due = group.told > 0 && group.failing === 0 ? null : group.dueAt;
  const usual = due ?? nextUpdateAt(group, settings, nowMs);
  const soon = Math.min(usual, nowMs + settings.waitSeconds * 1_000);
  const dueAt = member !== null && escalates(member, opens, input) ? soon : usual;
  if (member === null && group.signals >= GROUP_SIGNALS_MAX)
    return {
      group: { ...group, beyond: group.beyond + 1, dueAt, position },
      member,
      becomes: "grouped",
      isTold: true,
    };
  const before = member ?? begun(input);
  const after = failed(before, opens, input);
  const signals = group.signals + (member === null ? 1 : 0);
  const isFormed = group.isFormed || signals >= settings.minSignals;
  const failing = group.failing + (before.open.length === 0 ? 1 : 0);
  return {
    group: { ...group, signals, failing, isFormed, dueAt, position },
    member: after,
    becomes: isFormed ? "grouped" : "held",
    isTold: true,
  };
};

const recovered = (before: GroupMember, closes: string, { event }: GroupInput): GroupMember => {
  const open = openAfter(before.open, closes);
  const sequence = event.sequence ?? before.sequence;
  if (open.length > 0 || before.open.length === 0) return { ...before, open, sequence };
  const news = before.news ?? "recovered";
  return { ...before, open, news, sequence, eventId: event.id, since: Date.parse(event.createdAt) };
};

/** When all are well that is told after a calm wait, however long ago the last notification was. */
const recover = (group: SignalGroup, before: GroupMember, closes: string, input: GroupInput): GroupStep => {
  const { event, settings, nowMs, position } = input;
  const member = recovered(before, closes, input);
  const isTold = isToldByGroup(event);
  const becomes = !group.isFormed ? "held" : isTold ? "grouped" : "pending";
  if (before.open.length === 0 || member.open.length > 0) return { group, member, becomes, isTold };
  const failing = group.failing - 1;
  const isOver = failing === 0 && group.told > 0;
  const dueAt = isOver
    ? nowMs + settings.waitSeconds * 1_000
    : (group.dueAt ?? nextUpdateAt(group, settings, nowMs));
  return { group: { ...group, failing, dueAt, position }, member, becomes, isTold };
};

/** What an event is to a group that is there; a failure must be one that the webhook wants. */
export const groupStep = (
  group: SignalGroup,
  member: GroupMember | null,
  input: GroupInput,
  isWanted: boolean,
): GroupStep => {
  const effect = effectOf(input.event);
  if (effect.kind === "fails" && isWanted) return fail(group, member, effect.opens, input);
  if (member === null) {
    // Of those beyond, nobody knows which ones failed: their recoveries are not told one by one, either.
    const isBeyond = group.signals >= GROUP_SIGNALS_MAX && isToldByGroup(input.event);
    return { group, member, becomes: isBeyond ? "grouped" : "pending", isTold: isBeyond };
  }
  const isKnown =
    effect.kind === "recovers" && (effect.closes === "all" || member.open.includes(effect.closes));
  if (effect.kind === "recovers" && isKnown) return recover(group, member, effect.closes, input);
  return { group, member, becomes: group.isFormed ? "pending" : "held", isTold: false };
};
