import { isDeepStrictEqual } from "node:util";
import { type AccountId, SourceId } from "../../../schemas/common.ts";
import type { SourceCreate, SourcePatch } from "../../../schemas/source.ts";
import { hiddenSettings } from "../../domain/hidden-settings.ts";
import type { Changed, Expected, OutboxRow, Sources, StoredSource } from "../../ports/control-store.ts";
import { note } from "./audit.ts";
import { done, newUlid, notFound, unexpected } from "./changed.ts";
import { difference, keptFields } from "./difference.ts";
import type { ControlContext, ControlTransaction } from "./engine.ts";
import { writeOutbox } from "./outbox.ts";
import { deleteFound } from "./owned.ts";
import { patchedSettings } from "./source-patch.ts";
import { findSource, getSource, listSources, sourceOf } from "./source-read.ts";
import { createSourceRejections } from "./source-rejections.ts";
import { sealSettings } from "./source-secrets.ts";
import { createSourceStatus } from "./source-status.ts";
import { inTransaction } from "./transaction.ts";

const entryOf = (sourceId: SourceId, revision: number | null): OutboxRow["entry"] => ({
  topic: "sources",
  sourceId,
  revision,
});

const about = ({ accountId, id, settings: { name } }: StoredSource) => ({ accountId, target: { id, name } });

const createSource = async (
  context: ControlContext,
  accountId: AccountId,
  settings: SourceCreate,
): Promise<Changed<StoredSource>> => {
  const now = context.clock.now();
  const id = SourceId.parse(`src_${newUlid(context)}`);
  const source = { id, accountId, revision: 1, settings, createdAt: now, updatedAt: now };
  const sealed = sealSettings(context.sealer, id, settings);
  return inTransaction(context, async (trx) => {
    const row = { id, account_id: accountId, revision: 1, ...sealed, created_at: now, updated_at: now };
    await trx.insertInto("source").values(row).execute();
    const after = keptFields(hiddenSettings(settings));
    await note(context, trx, [{ ...about(source), action: "source.created", after }]);
    return done(source, await writeOutbox(trx, [entryOf(id, 1)]));
  });
};

const lockedSource = async (
  context: ControlContext,
  trx: ControlTransaction,
  accountId: AccountId,
  id: SourceId,
): Promise<StoredSource | null> => {
  const query = trx.selectFrom("source").selectAll().where("id", "=", id);
  const owned = query.where("account_id", "=", accountId);
  const row = await owned.$if(context.engine.rowLocks, (one) => one.forUpdate()).executeTakeFirst();
  return row === undefined ? null : sourceOf(context, row);
};

const updateSource = (
  context: ControlContext,
  accountId: AccountId,
  id: SourceId,
  patch: SourcePatch,
  expected: Expected,
): Promise<Changed<StoredSource>> =>
  inTransaction(context, async (trx) => {
    const before = await lockedSource(context, trx, accountId, id);
    if (before === null) return notFound;
    const other = unexpected(before.revision, expected);
    if (other !== null) return other;
    const patched = patchedSettings(before.settings, patch);
    if (!patched.ok) return patched.refused;
    const { settings } = patched;
    if (isDeepStrictEqual(settings, before.settings)) return done(before, 0);
    const [revision, now] = [before.revision + 1, context.clock.now()];
    const sealed = sealSettings(context.sealer, id, settings);
    const changes = { revision, updated_at: now, ...sealed };
    await trx.updateTable("source").set(changes).where("id", "=", id).execute();
    const changed = difference<SourceCreate>(before.settings, settings, hiddenSettings);
    await note(context, trx, [{ ...about({ ...before, settings }), action: "source.updated", ...changed }]);
    const outbox = await writeOutbox(trx, [entryOf(id, revision)]);
    return done({ ...before, revision, settings, updatedAt: now }, outbox);
  });

/** The signals that it made stay, and go on naming it. */
const removeSource = (
  context: ControlContext,
  accountId: AccountId,
  id: SourceId,
  expected: Expected,
): Promise<Changed<null>> =>
  inTransaction(context, async (trx) => {
    const there = await lockedSource(context, trx, accountId, id);
    const deleted = await deleteFound(trx, "source", id, there, expected);
    if (!deleted.ok) return deleted;
    const { found } = deleted;
    const before = keptFields(hiddenSettings(found.settings));
    await note(context, trx, [{ ...about(found), action: "source.deleted", before }]);
    return done(null, await writeOutbox(trx, [entryOf(id, null)]));
  });

export const createSources = (context: ControlContext): Sources => ({
  all: () => context.db.selectFrom("source").select(["id", "revision"]).orderBy("id").execute(),
  create: (accountId, input) => createSource(context, accountId, input),
  get: (accountId, id) => getSource(context, accountId, id),
  find: (id) => findSource(context, id),
  list: (accountId, page) => listSources(context, accountId, page),
  update: (accountId, id, patch, expected = null) => updateSource(context, accountId, id, patch, expected),
  remove: (accountId, id, expected = null) => removeSource(context, accountId, id, expected),
  ...createSourceStatus(context),
  ...createSourceRejections(context),
});
