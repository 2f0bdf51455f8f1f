import type { AccountId, SignalId } from "../../../schemas/common.ts";
import type { SignalBatch, SignalOperation } from "../../ports/control-store.ts";
import { note } from "./audit.ts";
import {
  type ControlContext,
  type ControlTransaction,
  slices,
  TransactionConflictError,
  UniqueViolationError,
} from "./engine.ts";
import { writeOutbox } from "./outbox.ts";
import { signalIsOf } from "./owned.ts";
import { addToSignalCount, lockSignalCount } from "./signal-count.ts";
import { type FoundSignal, type FoundSignals, SignalFold } from "./signal-fold.ts";
import { insertSignals } from "./signal-insert.ts";
import { replaceSignals } from "./signal-replace.ts";
import { definitionOf } from "./signal-row.ts";
import { leaveTombstones } from "./signal-tombstones.ts";
import { isStorable } from "./text.ts";
import { inTransaction } from "./transaction.ts";

/** Rows are locked in the order of their ids, and states read after, so that a projection at the same time is not lost. */
const signalsOf = async (
  { engine }: ControlContext,
  trx: ControlTransaction,
  accountId: AccountId,
  ids: readonly SignalId[],
): Promise<Map<SignalId, FoundSignal>> => {
  const found = new Map<SignalId, FoundSignal>();
  for (const slice of slices([...new Set(ids)].sort())) {
    const rows = await trx
      .selectFrom("signal")
      .selectAll()
      .where("id", "in", slice)
      .where(signalIsOf(accountId))
      .orderBy("id")
      .$if(engine.rowLocks, (query) => query.forUpdate())
      .execute();
    const states = await trx.selectFrom("signal_state").selectAll().where("signal_id", "in", slice).execute();
    const stateOf = new Map(states.map((state) => [state.signal_id, state]));
    for (const row of rows) {
      const state = stateOf.get(row.id);
      found.set(row.id, {
        definition: definitionOf(row),
        status: row.status,
        projected: state?.status ?? "active",
        reasons: state === undefined ? [] : JSON.parse(state.reasons),
        sequence: state?.sequence ?? 0,
      });
    }
  }
  return found;
};

const ownersOf = async (
  trx: ControlTransaction,
  accountId: AccountId,
  externalIds: readonly string[],
): Promise<Map<string, SignalId>> => {
  const owners = new Map<string, SignalId>();
  for (const slice of slices([...new Set(externalIds)])) {
    const rows = await trx
      .selectFrom("signal")
      .select(["id", "external_id"])
      .where("account_id", "=", accountId)
      .where("external_id", "in", slice)
      .execute();
    for (const { id, external_id } of rows) if (external_id !== null) owners.set(external_id, id);
  }
  return owners;
};

const externalIdOf = (operation: SignalOperation): string[] => {
  if (operation.kind === "remove") return [];
  const { externalId } = operation.kind === "create" ? operation.input : operation.patch;
  return typeof externalId === "string" && isStorable(externalId) ? [externalId] : [];
};

const find = async (
  context: ControlContext,
  trx: ControlTransaction,
  accountId: AccountId,
  operations: readonly SignalOperation[],
): Promise<FoundSignals> => {
  const ids = operations.flatMap((operation) => (operation.kind === "create" ? [] : [operation.id]));
  const count = await lockSignalCount(trx, accountId);
  const signals = await signalsOf(context, trx, accountId, ids);
  return {
    accountId,
    count,
    signals,
    owners: await ownersOf(trx, accountId, operations.flatMap(externalIdOf)),
  };
};

const write = async (
  context: ControlContext,
  trx: ControlTransaction,
  accountId: AccountId,
  { created, removed, replaced, entries, notes }: SignalFold,
): Promise<number> => {
  for (const slice of slices(removed.map(({ signalId }) => signalId))) {
    await trx.deleteFrom("signal").where("id", "in", slice).execute();
    await trx.deleteFrom("signal_state").where("signal_id", "in", slice).execute();
  }
  if (removed.length > 0) await leaveTombstones(trx, context.clock.now(), removed);
  await replaceSignals(trx, replaced);
  const added = await insertSignals(trx, created);
  // A single change took an externalId meanwhile: it does not wait for the count.
  if (added.length < created.length) throw new TransactionConflictError("an externalId was taken meanwhile");
  await note(context, trx, notes);
  const growth = created.length - removed.length;
  if (growth !== 0) await addToSignalCount(trx, accountId, growth);
  return entries.length === 0 ? 0 : writeOutbox(trx, entries);
};

/** As the port says: folded in memory, then written in slices, with one batch for the outbox. */
export const applySignals = (
  context: ControlContext,
  accountId: AccountId,
  operations: readonly SignalOperation[],
  { atomic, checkOnly = false }: { readonly atomic: boolean; readonly checkOnly?: boolean },
): Promise<SignalBatch> =>
  inTransaction(context, async (trx) => {
    const fold = new SignalFold(context, await find(context, trx, accountId, operations));
    const results = operations.map((operation) => fold.apply(operation));
    if (checkOnly || (atomic && results.some(({ ok }) => !ok))) return { results, applied: false };
    try {
      const outbox = await write(context, trx, accountId, fold);
      const placed = results.map((result) =>
        result.ok && result.outbox > 0 ? { ...result, outbox } : result,
      );
      return { results: placed, applied: true };
    } catch (error) {
      if (!(error instanceof UniqueViolationError)) throw error;
      throw new TransactionConflictError("an externalId was taken meanwhile", { cause: error });
    }
  });
