import { type Kysely, sql } from "kysely";
import type { SignalId } from "../../../schemas/common.ts";
import type { SignalStateRow, SignalStates } from "../../ports/control-store.ts";
import { type ControlContext, type ControlTransaction, slices } from "./engine.ts";
import type { ControlTables } from "./tables.ts";
import { inTransaction } from "./transaction.ts";

/** The newest row of each signal: one statement may touch a row only once. In order of id, against deadlocks. */
const newest = (rows: readonly SignalStateRow[]): SignalStateRow[] => {
  const bySignal = new Map<SignalId, SignalStateRow>();
  for (const row of rows) {
    const other = bySignal.get(row.signalId);
    if (other === undefined || other.sequence < row.sequence) bySignal.set(row.signalId, row);
  }
  return [...bySignal.values()].sort((a, b) => (a.signalId < b.signalId ? -1 : 1));
};

const existingIds = async (trx: Kysely<ControlTables>, ids: SignalId[]): Promise<ReadonlySet<SignalId>> => {
  const rows = await trx.selectFrom("signal").select("id").where("id", "in", ids).execute();
  return new Set(rows.map(({ id }) => id));
};

/** Gives the signals whose state was behind. */
const upsertStates = async (
  trx: ControlTransaction,
  rows: readonly SignalStateRow[],
): Promise<SignalId[]> => {
  const values = rows.flatMap(({ signalId, status, reasons, sequence }) =>
    status === "deleted" ? [] : [{ signal_id: signalId, status, reasons: JSON.stringify(reasons), sequence }],
  );
  if (values.length === 0) return [];
  const applied = await trx
    .insertInto("signal_state")
    .values(values)
    .onConflict((conflict) =>
      conflict
        .column("signal_id")
        .doUpdateSet((eb) => ({
          status: eb.ref("excluded.status"),
          reasons: eb.ref("excluded.reasons"),
          sequence: eb.ref("excluded.sequence"),
        }))
        .whereRef("signal_state.sequence", "<", "excluded.sequence"),
    )
    .returning("signal_id")
    .execute();
  return applied.map(({ signal_id }) => signal_id);
};

/** Carries a changed status to where lists find it; most projections change only the sequence and write nothing here. */
const showStatus = (trx: ControlTransaction, ids: readonly SignalId[]) => {
  const projected = sql<
    "active" | "failed"
  >`(select s.status from signal_state s where s.signal_id = signal.id)`;
  return trx
    .updateTable("signal")
    .set({ status: projected })
    .where("id", "in", ids)
    .where("paused", "=", 0)
    .where("status", "<>", projected)
    .execute();
};

const projectSlice = async (trx: ControlTransaction, rows: readonly SignalStateRow[]): Promise<void> => {
  const gone = rows.filter(({ status }) => status === "deleted").map(({ signalId }) => signalId);
  if (gone.length > 0) await trx.deleteFrom("signal_state").where("signal_id", "in", gone).execute();
  const existing = await existingIds(
    trx,
    rows.map(({ signalId }) => signalId),
  );
  // An event repeated after its signal was deleted must not bring its state back.
  const changed = await upsertStates(
    trx,
    rows.filter(({ signalId }) => existing.has(signalId)),
  );
  if (changed.length > 0) await showStatus(trx, changed);
};

export const createSignalStates = ({ db }: ControlContext): SignalStates => ({
  project: async (rows) => {
    if (rows.length === 0) return;
    await inTransaction({ db }, async (trx) => {
      for (const slice of slices(newest(rows))) await projectSlice(trx, slice);
    });
  },
});
