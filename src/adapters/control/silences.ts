import { isDeepStrictEqual } from "node:util";
import { type AccountId, SilenceId } from "../../../schemas/common.ts";
import { type SilenceDefinition, type SilencePatch, silenceProblems } from "../../../schemas/silence.ts";
import { decodeCursor } from "../../domain/cursor.ts";
import type { Silences, StoredSilence } from "../../ports/alerts.ts";
import type { Changed, Expected, OutboxRow } from "../../ports/control-store.ts";
import { note } from "./audit.ts";
import { conflict, done, invalid, merged, newUlid, notFound, unexpected } from "./changed.ts";
import { afterId, pageOf } from "./cursor.ts";
import { difference, keptFields } from "./difference.ts";
import type { ControlContext, ControlTransaction } from "./engine.ts";
import { writeOutbox } from "./outbox.ts";
import { deleteFound } from "./owned.ts";
import { lockSignalCount } from "./signal-count.ts";
import { holdingSilences } from "./silence-holding.ts";
import { MAX_SILENCES, makeRoom } from "./silence-room.ts";
import { storedOf } from "./silence-row.ts";
import { inTransaction } from "./transaction.ts";

const columnsOf = ({ accountId: _, revision, ...kept }: StoredSilence) => {
  const { until } = kept.definition;
  return {
    revision,
    until_at: until === null ? null : Date.parse(until),
    silence: JSON.stringify(kept),
  };
};

type Entry = OutboxRow["entry"];
const entryOf = ({ accountId, revision, definition }: StoredSilence): Entry => ({
  topic: "readings",
  change: { type: "silence", accountId, revision, silence: definition },
});
const deletionOf = (accountId: AccountId, revision: number, silenceId: SilenceId): Entry => ({
  topic: "readings",
  change: { type: "silenceDeleted", accountId, revision, silenceId },
});

const about = ({ accountId, definition: { id, reason } }: StoredSilence) => ({
  accountId,
  target: { id, name: reason },
});

const FULL = `the account has its limit of ${MAX_SILENCES} silences, none of which is over: delete one that is needed no more`;

const createSilence = async (
  context: ControlContext,
  ...[accountId, input, createdBy]: Parameters<Silences["create"]>
): Promise<Changed<StoredSilence>> => {
  const now = context.clock.now();
  const definition = { id: SilenceId.parse(`sil_${newUlid(context)}`), ...input };
  const stored = { accountId, revision: 1, definition, createdBy, createdAt: now, updatedAt: now };
  return inTransaction(context, async (trx) => {
    await lockSignalCount(trx, accountId);
    const gone = await makeRoom(trx, accountId, now);
    if (gone === null) return conflict("", FULL);
    const deletions = gone.map(({ id, revision }) => deletionOf(accountId, revision + 1, id));
    const row = { id: definition.id, account_id: accountId, ...columnsOf(stored) };
    await trx.insertInto("silence").values(row).execute();
    await note(context, trx, [{ ...about(stored), action: "silence.created", after: keptFields(input) }]);
    return done(stored, await writeOutbox(trx, [...deletions, entryOf(stored)]));
  });
};

const instant = (at: string): string => new Date(at).toISOString();
const inUtc = ({ from, until, ...rest }: SilencePatch): SilencePatch => ({
  ...rest,
  ...(from === undefined ? {} : { from: instant(from) }),
  ...(until === undefined ? {} : { until: until === null ? null : instant(until) }),
});

/** It takes what fires when it is made: later it cannot. */
const patchProblems = (before: SilenceDefinition, after: SilenceDefinition) =>
  before.untilResolved === after.untilResolved
    ? silenceProblems(after)
    : [{ path: "untilResolved", message: "cannot be changed: make another silence for what fires now" }];

const lockedSilence = async (
  { engine }: ControlContext,
  trx: ControlTransaction,
  accountId: AccountId,
  id: SilenceId,
): Promise<StoredSilence | null> => {
  const query = trx.selectFrom("silence").selectAll().where("id", "=", id);
  const owned = query.where("account_id", "=", accountId);
  const row = await owned.$if(engine.rowLocks, (one) => one.forUpdate()).executeTakeFirst();
  return row === undefined ? null : storedOf(row);
};

const updateSilence = (
  context: ControlContext,
  accountId: AccountId,
  id: SilenceId,
  patch: SilencePatch,
  expected: Expected,
): Promise<Changed<StoredSilence>> =>
  inTransaction(context, async (trx) => {
    const before = await lockedSilence(context, trx, accountId, id);
    if (before === null) return notFound;
    const other = unexpected(before.revision, expected);
    if (other !== null) return other;
    const definition = merged(before.definition, inUtc(patch));
    if (isDeepStrictEqual(definition, before.definition)) return done(before, 0);
    const [problem] = patchProblems(before.definition, definition);
    if (problem !== undefined) return invalid(problem.path, problem.message);
    const now = context.clock.now();
    const stored = { ...before, definition, revision: before.revision + 1, updatedAt: now };
    await trx.updateTable("silence").set(columnsOf(stored)).where("id", "=", id).execute();
    const changed = difference(before.definition, definition);
    await note(context, trx, [{ ...about(stored), action: "silence.updated", ...changed }]);
    return done(stored, await writeOutbox(trx, [entryOf(stored)]));
  });

const removeSilence = (
  context: ControlContext,
  accountId: AccountId,
  id: SilenceId,
  expected: Expected,
): Promise<Changed<null>> =>
  inTransaction(context, async (trx) => {
    const there = await lockedSilence(context, trx, accountId, id);
    const deleted = await deleteFound(trx, "silence", id, there, expected);
    if (!deleted.ok) return deleted;
    const { revision, found } = deleted;
    const before = keptFields(found.definition);
    await note(context, trx, [{ ...about(found), action: "silence.deleted", before }]);
    return done(null, await writeOutbox(trx, [deletionOf(accountId, revision, id)]));
  });

const silenceRows = ({ db }: ControlContext) => db.selectFrom("silence").selectAll().orderBy("id");

export const createSilences = (context: ControlContext): Silences => ({
  create: (...given) => createSilence(context, ...given),
  get: async (accountId, id) => {
    const query = silenceRows(context).where("id", "=", id).where("account_id", "=", accountId);
    const row = await query.executeTakeFirst();
    return row === undefined ? null : storedOf(row);
  },
  list: async (accountId, { limit, cursor }) => {
    const after = cursor === undefined ? null : decodeCursor(afterId(SilenceId), cursor).id;
    const rows = await silenceRows(context)
      .where("account_id", "=", accountId)
      .$if(after !== null, (query) => query.where("id", ">", after))
      .limit(limit + 1)
      .execute();
    return pageOf(rows, limit, storedOf, ({ id }) => ({ id }));
  },
  update: (accountId, id, patch, expected = null) => updateSilence(context, accountId, id, patch, expected),
  remove: (accountId, id, expected = null) => removeSilence(context, accountId, id, expected),
  holding: (silences) => holdingSilences(context, silences),
  all: async () => (await silenceRows(context).execute()).map(storedOf),
});
