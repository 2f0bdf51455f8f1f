import { z } from "zod";
import { SignalDefinition } from "../../../schemas/change.ts";
import { AccountId, AlertId, RuleId, SourceId } from "../../../schemas/common.ts";
import { Rule } from "../../../schemas/rule.ts";
import { SignalStatus } from "../../../schemas/signal.ts";

/** Counts up whenever a row changes its shape; a bucket of another version is not read. */
export const SNAPSHOT_VERSION = 1;

const Millis = z.number();
const shape = SignalDefinition.shape;

export const ConditionRow = z.tuple([
  RuleId,
  z.enum(["pending", "firing", "clearing"]),
  /** atMs, recordMs */
  Millis,
  Millis,
  AlertId.nullable(),
  /** firedAtMs */
  Millis,
  /** value (null: not a number), limit */
  z.number().nullable(),
  z.number(),
]);
export type ConditionRow = z.infer<typeof ConditionRow>;

/** What many signals of a bucket have in common; signals name it by its number. */
export const ProfileRow = z.tuple([
  z.literal("profile"),
  shape.accountId,
  shape.sourceId,
  shape.labels,
  shape.threshold,
  shape.floorDbm,
  shape.ceilingDbm,
  shape.hysteresis,
  shape.noDataAfterSeconds,
]);
export type ProfileRow = z.infer<typeof ProfileRow>;

export const SignalRow = z.tuple([
  z.literal("signal"),
  shape.id,
  shape.revision,
  shape.name,
  shape.externalId,
  /** The number of its profile in the bucket, from 0. */
  z.number().int(),
  SignalStatus,
  /** createdAt, updatedAt */
  Millis,
  Millis,
  /** sequence, newestAtMs, strength, lastDataMs */
  z.number().int(),
  Millis,
  z.number().nullable(),
  Millis,
  /** the threshold: since, value; no data: since, value */
  Millis,
  z.number().nullable(),
  Millis,
  z.number().nullable(),
  z.array(ConditionRow),
]);
export type SignalRow = z.infer<typeof SignalRow>;

export const PartitionRow = z.strictObject({
  logId: z.string(),
  partition: z.number().int(),
  partitions: z.number().int(),
  nextOffset: z.number().int(),
  recordMs: Millis,
  noDataMs: Millis,
});
export const FlowRow = z.strictObject({
  sourceId: SourceId,
  pausedAtMs: Millis.nullable(),
  standstillMs: Millis,
});
export type FlowRow = z.infer<typeof FlowRow>;
export const RuleRow = z.strictObject({ accountId: AccountId, revision: z.number().int(), rule: Rule });
export const TombstoneRow = z.strictObject({
  kind: z.enum(["signal", "rule"]),
  id: z.string(),
  revision: z.number().int(),
  deletedAtMs: Millis,
});

/** One line of a bucket: JSON, told apart by its first element. A bucket can be read without the others. */
export const SnapshotRow = z.union([
  SignalRow,
  ProfileRow,
  z.tuple([z.literal("partition"), PartitionRow]),
  z.tuple([z.literal("flow"), FlowRow]),
  z.tuple([z.literal("rule"), RuleRow]),
  z.tuple([z.literal("tombstone"), TombstoneRow]),
]);
export type SnapshotRow = z.infer<typeof SnapshotRow>;

export const VERSION_LINE = `["snapshot",${SNAPSHOT_VERSION}]\n`;

export class SnapshotUnreadableError extends Error {
  override readonly name = "SnapshotUnreadableError";
}

const decoder = new TextDecoder();

/** The rows of a bucket in order; throws SnapshotUnreadableError for a bucket of another version or shape. */
export function* rowsOf(bucket: Uint8Array): Generator<SnapshotRow> {
  const [version, ...lines] = decoder.decode(bucket).split("\n");
  if (`${version}\n` !== VERSION_LINE) throw new SnapshotUnreadableError("a bucket of another version");
  for (const line of lines) if (line !== "") yield readRow(line);
}

const readRow = (line: string): SnapshotRow => {
  try {
    return SnapshotRow.parse(JSON.parse(line));
  } catch (cause) {
    throw new SnapshotUnreadableError("a row that is none", { cause });
  }
};
