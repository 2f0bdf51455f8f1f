import { z } from "zod";
import { Acknowledgement, AlertTerms, ResolveReason } from "../../../schemas/alert.ts";
import { SignalDefinition } from "../../../schemas/change.ts";
import { AccountId, AlertId, EventId, RuleId, SilenceId, SourceId } from "../../../schemas/common.ts";
import { Severity } from "../../../schemas/condition.ts";
import { Rule } from "../../../schemas/rule.ts";
import { SignalStatus } from "../../../schemas/signal.ts";
import { SilenceDefinition } from "../../../schemas/silence.ts";
import { compiled } from "../compiled.ts";

/** Counts up whenever a row changes its shape; a bucket of a later version is not read. */
export const SNAPSHOT_VERSION = 2;

const Millis = z.number();
const shape = SignalDefinition.shape;

/** As version 1 had it: of a rule with one level, before alerts were held back. */
const FirstConditionRow = z.tuple([
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
export type FirstConditionRow = z.infer<typeof FirstConditionRow>;

const HushRow = z.strictObject({
  silencedBy: SilenceId.optional(),
  heldBy: z.literal("flapping").optional(),
});
const HeldRow = z.strictObject({ event: EventId, by: HushRow });

/** A rule that is not idle on a signal; fields as in RuleCondition, without those that say nothing. */
export const ConditionRow = z.strictObject({
  ruleId: RuleId,
  /** phase, atMs, recordMs */
  levels: z.array(z.tuple([z.enum(["idle", "pending", "firing", "clearing"]), Millis, Millis])),
  alertId: AlertId.nullable(),
  level: z.number().int(),
  firedAtMs: Millis,
  /** Null: not a number. */
  value: z.number().nullable(),
  limit: z.number(),
  crossedUpper: z.boolean().optional(),
  acknowledged: Acknowledgement.optional(),
  told: z.boolean(),
  /** Missing where it was told, if at all, under its present terms only. */
  toldAs: z.array(AlertTerms).optional(),
  held: HeldRow.optional(),
  silenceSeconds: z.number().optional(),
  silencedBy: z.array(SilenceId).optional(),
});
export type ConditionRow = z.infer<typeof ConditionRow>;

export const FlapsRow = z.strictObject({
  ruleId: RuleId,
  changes: z.array(z.strictObject({ atMs: Millis, recordMs: Millis })),
  flapping: z.number().int(),
  sinceMs: Millis,
  ended: z
    .strictObject({
      id: AlertId,
      severity: Severity,
      firedAtMs: Millis,
      resolvedAtMs: Millis,
      resolveReason: ResolveReason,
      value: z.number(),
      limit: z.number(),
      acknowledged: Acknowledgement.nullable(),
    })
    .nullable(),
  heardFiring: z.boolean(),
  toldAs: z.array(AlertTerms).optional(),
});
export type FlapsRow = z.infer<typeof FlapsRow>;

/** What few signals have. */
export const MoreRow = z.strictObject({
  flaps: z.array(FlapsRow),
  /** Of rules on change: step, movement, lowest and highest values by step. */
  windows: z.array(z.tuple([RuleId, z.number(), z.number(), z.array(z.number().nullable())])),
  heldFailure: HeldRow.optional(),
  /** Step and count of each step of a feed's gaps that has any. */
  rhythm: z.array(z.tuple([z.number().int(), z.number().int()])).optional(),
});
export type MoreRow = z.infer<typeof MoreRow>;

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
  z.array(z.union([ConditionRow, FirstConditionRow])),
  MoreRow.optional(),
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
const SilenceRow = z.strictObject({
  accountId: AccountId,
  revision: z.number().int(),
  silence: SilenceDefinition,
});
export const TombstoneRow = z.strictObject({
  kind: z.enum(["signal", "rule", "silence"]),
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
  z.tuple([z.literal("silence"), SilenceRow]),
  z.tuple([z.literal("tombstone"), TombstoneRow]),
]);
export type SnapshotRow = z.infer<typeof SnapshotRow>;
const CompiledRow = compiled(SnapshotRow);

const versionLine = (version: number): string => `["snapshot",${version}]\n`;
export const VERSION_LINE = versionLine(SNAPSHOT_VERSION);
/** What an older program wrote is read too: an update loses no state. */
const READABLE = [versionLine(1), VERSION_LINE];

export class SnapshotUnreadableError extends Error {
  override readonly name = "SnapshotUnreadableError";
}

const decoder = new TextDecoder();

/** The rows of a bucket in order; throws SnapshotUnreadableError for a bucket of another version or shape. */
export function* rowsOf(bucket: Uint8Array): Generator<SnapshotRow> {
  const [version, ...lines] = decoder.decode(bucket).split("\n");
  if (!READABLE.includes(`${version}\n`)) throw new SnapshotUnreadableError("a bucket of another version");
  for (const line of lines) if (line !== "") yield readRow(line);
}

const readRow = (line: string): SnapshotRow => {
  try {
    return CompiledRow().parse(JSON.parse(line));
  } catch (cause) {
    throw new SnapshotUnreadableError("a row that is none", { cause });
  }
};
