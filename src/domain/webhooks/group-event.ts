import { hash } from "node:crypto";
import { EventId } from "../../../schemas/common.ts";
import { API_VERSION, type GroupEventKind, type SignalServiceEvent } from "../../../schemas/event.ts";
import type { GroupedSignal } from "../../../schemas/group.ts";
import { ulid } from "../ids.ts";
import type { GroupMember, SignalGroup } from "./group.ts";
import type { GroupNews } from "./group-due.ts";

/** The list of a notification ends before its text is longer. */
const LIST_CHARS_MAX = 48_000;

const shownOf = ({ signalId, name, externalId, open, news, severity, since, eventId }: GroupMember) => ({
  id: signalId,
  name,
  externalId,
  status: open.length > 0 ? ("failed" as const) : ("recovered" as const),
  isNew: news !== null,
  since: new Date(since).toISOString(),
  severity,
  eventId,
});

const listOf = (members: readonly GroupMember[]): GroupedSignal[] => {
  let chars = 0;
  return members.map(shownOf).filter((shown) => {
    chars += JSON.stringify(shown).length;
    return chars <= LIST_CHARS_MAX;
  });
};

const signalsAre = (count: number): string => (count === 1 ? "1 signal is" : `${count} signals are`);

/** What a group's notification is made of, as the group was when it was due. */
export interface GroupTelling {
  readonly group: SignalGroup;
  readonly event: GroupEventKind;
  readonly news: GroupNews;
  /** What is new first; all that is told, or as many as may be listed. */
  readonly members: readonly GroupMember[];
  readonly sourceName: string;
}

/**
 * The notification, the same whoever makes it and how often: its id is made of the group's and its number, and its time
 * is when it was due.
 */
export const groupEvent = ({ group, event, news, members, sourceName }: GroupTelling): SignalServiceEvent => {
  const number = group.told + 1;
  const atMs = group.dueAt ?? group.startedAt;
  const id = EventId.parse(`evt_${ulid(atMs, hash("sha256", `${group.id}\n${number}`, "buffer"))}`);
  const signals = listOf(members);
  const failed = news.failed + group.beyond;
  const unlisted = Math.max(0, group.failing + group.beyond + news.recovered - signals.length);
  const reason =
    event === "source.recovered"
      ? "all signals that failed together are well"
      : `${signalsAre(group.failing + group.beyond)} failed`;
  return {
    event,
    id,
    type: event,
    createdAt: new Date(atMs).toISOString(),
    apiVersion: API_VERSION,
    sequence: null,
    data: {
      source: { id: group.sourceId, name: sourceName, reason },
      group: {
        id: group.id,
        number,
        startedAt: new Date(group.startedAt).toISOString(),
        counts: { failing: group.failing, failed, recovered: news.recovered, unlisted },
        signals,
      },
    },
  };
};
