import { z } from "zod";
import { EventId, GroupId, SignalId, Timestamp } from "./common.ts";
import { Severity } from "./condition.ts";

/** Signals that one notification lists; the others are counted. */
export const GROUP_LIST_MAX = 100;

/** A signal of a source as a group's notification tells of it; `eventId` is of its newest failure or recovery. */
export const GroupedSignal = z.strictObject({
  id: SignalId,
  name: z.string(),
  externalId: z.string().nullable(),
  status: z.enum(["failed", "recovered"]),
  isNew: z.boolean().describe("Not told by an earlier notification of the group."),
  since: Timestamp,
  severity: Severity.nullable().describe("The highest of its alerts; null: it has none."),
  eventId: EventId,
});
export type GroupedSignal = z.infer<typeof GroupedSignal>;

/** Signals of one source that failed together, as told to one webhook. `id` is the same from the first to the last. */
export const GroupData = z.strictObject({
  id: GroupId,
  number: z.number().int().min(1).describe("1, 2, 3 … over the notifications of the group."),
  startedAt: Timestamp,
  counts: z.strictObject({
    failing: z.number().int().describe("Signals of the group that are failed now."),
    failed: z.number().int().describe("Failed since the notification before, whatever they are now."),
    recovered: z.number().int().describe("Recovered since the notification before."),
    unlisted: z.number().int().describe("Beyond those in the list."),
  }),
  signals: z.array(GroupedSignal).max(GROUP_LIST_MAX).describe("What is new first."),
});
export type GroupData = z.infer<typeof GroupData>;
