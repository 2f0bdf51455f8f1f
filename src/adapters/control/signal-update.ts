import { isDeepStrictEqual } from "node:util";
import type { SignalDefinition } from "../../../schemas/change.ts";
import type { AccountId, SignalId } from "../../../schemas/common.ts";
import type { SignalPatch } from "../../../schemas/signal.ts";
import type { Changed, Expected, StoredSignal } from "../../ports/control-store.ts";
import { note } from "./audit.ts";
import { done, merged, notFound, orConflict, unexpected } from "./changed.ts";
import type { ControlContext, ControlTransaction } from "./engine.ts";
import { writeOutbox } from "./outbox.ts";
import { refusedSignal, TAKEN } from "./signal-checks.ts";
import { updatedNote } from "./signal-notes.ts";
import { replaceSignals } from "./signal-replace.ts";
import { definitionOf, signalEntry } from "./signal-row.ts";
import { inTransaction } from "./transaction.ts";

export const lockedSignal = async (
  { engine }: ControlContext,
  trx: ControlTransaction,
  accountId: AccountId,
  id: SignalId,
) => {
  const row = await trx
    .selectFrom("signal")
    .selectAll()
    .where("id", "=", id)
    .where("account_id", "=", accountId)
    .$if(engine.rowLocks, (query) => query.forUpdate())
    .executeTakeFirst();
  return row === undefined ? null : definitionOf(row);
};

/** What the signal would be; a field that the patch does not name stays. */
export const withPatch = (stored: SignalDefinition, { status, ...patch }: SignalPatch): SignalDefinition =>
  merged(stored, { ...patch, paused: status === undefined ? undefined : status === "paused" });

/** The row is locked first and the state read after it, so that a projection at the same time is not lost. */
export const updateSignal = (
  context: ControlContext,
  accountId: AccountId,
  id: SignalId,
  patch: SignalPatch,
  expected: Expected,
): Promise<Changed<StoredSignal>> => {
  const change = inTransaction(context, async (trx): Promise<Changed<StoredSignal>> => {
    const before = await lockedSignal(context, trx, accountId, id);
    if (before === null) return notFound;
    const other = unexpected(before.revision, expected);
    if (other !== null) return other;
    const patched = withPatch(before, patch);
    const state = await trx
      .selectFrom("signal_state")
      .selectAll()
      .where("signal_id", "=", id)
      .executeTakeFirst();
    const status = patched.paused ? "paused" : (state?.status ?? "active");
    const stored = (definition: SignalDefinition): StoredSignal => ({
      definition,
      status,
      reasons: state === undefined ? [] : JSON.parse(state.reasons),
      sequence: state?.sequence ?? 0,
    });
    if (isDeepStrictEqual(before, patched)) return done(stored(before), 0);
    const refused = refusedSignal(patched);
    if (refused !== null) return refused;
    const next = { ...patched, revision: before.revision + 1, updatedAt: context.clock.now() };
    await replaceSignals(trx, [{ before, next, status }]);
    await note(context, trx, [updatedNote(before, next)]);
    return done(stored(next), await writeOutbox(trx, [signalEntry(next)]));
  });
  return orConflict(change, TAKEN);
};
