import type { AccountId, SignalId } from "../../../schemas/common.ts";
import type { SignalCreate } from "../../../schemas/signal.ts";
import type { Changed, Expected, Signals, StoredSignal } from "../../ports/control-store.ts";
import { note } from "./audit.ts";
import { conflict, done } from "./changed.ts";
import type { ControlContext } from "./engine.ts";
import { writeOutbox } from "./outbox.ts";
import { deleteFound } from "./owned.ts";
import { applySignals } from "./signal-batch.ts";
import { refusedSignal, TAKEN } from "./signal-checks.ts";
import { addToSignalCount, lockSignalCount } from "./signal-count.ts";
import { insertSignals } from "./signal-insert.ts";
import { listSignals } from "./signal-list.ts";
import { newSignal } from "./signal-new.ts";
import { createdNote, deletedNote } from "./signal-notes.ts";
import { calledSignals, existingSignals, namedSignals, resolveSignals } from "./signal-resolve.ts";
import { selectStored, signalEntry, storedOf } from "./signal-row.ts";
import { anySelected, labelValues } from "./signal-selection.ts";
import { leaveTombstones } from "./signal-tombstones.ts";
import { lockedSignal, updateSignal } from "./signal-update.ts";
import { inTransaction } from "./transaction.ts";

const createSignal = async (
  context: ControlContext,
  accountId: AccountId,
  input: SignalCreate,
): Promise<Changed<StoredSignal>> => {
  const definition = newSignal(context, accountId, input);
  const refused = refusedSignal(definition);
  if (refused !== null) return refused;
  return inTransaction(context, async (trx) => {
    const count = await lockSignalCount(trx, accountId);
    if (count >= context.maxSignals) return conflict("", `the account has its limit of ${count} signals`);
    const added = await insertSignals(trx, [definition]);
    if (added.length === 0) return TAKEN;
    await addToSignalCount(trx, accountId, 1);
    await note(context, trx, [createdNote(definition)]);
    const outbox = await writeOutbox(trx, [signalEntry(definition)]);
    return done({ definition, status: "active", reasons: [], sequence: 0 }, outbox);
  });
};

const removeSignal = (
  context: ControlContext,
  accountId: AccountId,
  id: SignalId,
  expected: Expected,
): Promise<Changed<null>> =>
  inTransaction(context, async (trx) => {
    const now = context.clock.now();
    await lockSignalCount(trx, accountId);
    const there = await lockedSignal(context, trx, accountId, id);
    const deleted = await deleteFound(trx, "signal", id, there, expected);
    if (!deleted.ok) return deleted;
    const { revision, found } = deleted;
    await note(context, trx, [deletedNote(found)]);
    await trx.deleteFrom("signal_state").where("signal_id", "=", id).execute();
    await leaveTombstones(trx, now, [{ signalId: id, accountId, revision }]);
    await addToSignalCount(trx, accountId, -1);
    const change = { type: "signalDeleted" as const, signalId: id, accountId, revision };
    return done(null, await writeOutbox(trx, [{ topic: "readings", change }]));
  });

export const createSignals = (context: ControlContext): Signals => ({
  create: (accountId, input) => createSignal(context, accountId, input),
  get: async (accountId, id) => {
    const row = await selectStored(context.db)
      .where("signal.id", "=", id)
      .where("signal.account_id", "=", accountId)
      .executeTakeFirst();
    return row === undefined ? null : storedOf(row);
  },
  list: (accountId, query) => listSignals(context, accountId, query),
  update: (accountId, id, patch, expected = null) => updateSignal(context, accountId, id, patch, expected),
  remove: (accountId, id, expected = null) => removeSignal(context, accountId, id, expected),
  resolve: (request) => resolveSignals(context, request),
  applyAll: (accountId, operations, options) => applySignals(context, accountId, operations, options),
  named: (accountId, externalIds) => namedSignals(context, accountId, externalIds),
  called: (accountId, names) => calledSignals(context, accountId, names),
  existing: (accountId, ids) => existingSignals(context, accountId, ids),
  anySelected: (accountId, selection) => anySelected(context, accountId, selection),
  labelValues: (accountId, selection, keys) => labelValues(context, accountId, selection, keys),
  all: async (afterId, limit) => {
    const rows = await selectStored(context.db)
      .$if(afterId !== null, (query) => query.where("signal.id", ">", afterId))
      .orderBy("signal.id")
      .limit(limit)
      .execute();
    return rows.map(storedOf);
  },
});
