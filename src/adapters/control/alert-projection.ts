import type { Insertable } from "kysely";
import type { AlertId } from "../../../schemas/common.ts";
import type { ToldAlert } from "../../domain/told-alert.ts";
import { type ControlContext, type ControlTransaction, slices } from "./engine.ts";
import type { ControlTables } from "./tables.ts";
import { inTransaction } from "./transaction.ts";

/** The newest row of each alert: one statement may touch a row only once. In order of id, against deadlocks. */
const newest = (rows: readonly ToldAlert[]): ToldAlert[] => {
  const byId = new Map<AlertId, ToldAlert>();
  for (const row of rows) {
    const other = byId.get(row.alert.id);
    if (other === undefined || other.sequence < row.sequence) byId.set(row.alert.id, row);
  }
  return [...byId.values()].sort((a, b) => (a.alert.id < b.alert.id ? -1 : 1));
};

const millis = (at: string): number => Date.parse(at);

const rowOf = ({ accountId, sequence, alert }: ToldAlert): Insertable<ControlTables["alert"]> => ({
  id: alert.id,
  account_id: accountId,
  signal_id: alert.signalId,
  rule_id: alert.ruleId,
  severity: alert.severity,
  state: alert.state === "firing" ? "firing" : "resolved",
  fired_at: millis(alert.firedAt ?? alert.resolvedAt ?? ""),
  resolved_at: alert.resolvedAt === null ? null : millis(alert.resolvedAt),
  sequence,
  alert: JSON.stringify({ ...alert, acknowledged: null }),
  acknowledged: alert.acknowledged === null ? null : JSON.stringify(alert.acknowledged),
});

/** What events say of one that was acknowledged here follows later: until then it is not forgotten. */
const upsert = (trx: ControlTransaction, rows: readonly ToldAlert[]) =>
  trx
    .insertInto("alert")
    .values(rows.map(rowOf))
    .onConflict((conflict) =>
      conflict
        .column("id")
        .doUpdateSet((eb) => ({
          severity: eb.ref("excluded.severity"),
          state: eb.ref("excluded.state"),
          fired_at: eb.ref("excluded.fired_at"),
          resolved_at: eb.ref("excluded.resolved_at"),
          sequence: eb.ref("excluded.sequence"),
          alert: eb.ref("excluded.alert"),
          acknowledged: eb.fn.coalesce("alert.acknowledged", "excluded.acknowledged"),
        }))
        .whereRef("alert.sequence", "<", "excluded.sequence"),
    )
    .execute();

export const projectAlerts = async ({ db }: ControlContext, rows: readonly ToldAlert[]): Promise<void> => {
  if (rows.length === 0) return;
  await inTransaction({ db }, async (trx) => {
    for (const slice of slices(newest(rows))) await upsert(trx, slice);
  });
};
