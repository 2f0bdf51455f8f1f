import { isDeepStrictEqual } from "node:util";
import { sql } from "kysely";
import type { SignalDefinition } from "../../../schemas/change.ts";
import type { SignalId } from "../../../schemas/common.ts";
import type { StoredSignal } from "../../ports/control-store.ts";
import { type ControlTransaction, slices } from "./engine.ts";
import { labelRowsOf, rowOf } from "./signal-row.ts";

/** What a signal was and is to be; `status` as a list shows it. */
export interface SignalReplacement {
  readonly before: SignalDefinition;
  readonly next: SignalDefinition;
  readonly status: StoredSignal["status"];
}

type Row = ReturnType<typeof rowOf>;
/** With their types: an engine cannot tell those of rows that stand in the statement. */
type Columns = readonly (readonly [keyof Row, string])[];

/**
 * What no index has. SQLite writes an index anew for each of its columns that is set, also to what it was: so the others
 * are set only where they have changed.
 */
const SETTINGS: Columns = [
  ["revision", "bigint"],
  ["labels", "text"],
  ["threshold", "double precision"],
  ["floor_dbm", "double precision"],
  ["ceiling_dbm", "double precision"],
  ["hysteresis", "double precision"],
  ["no_data_after_seconds", "bigint"],
  ["paused", "integer"],
  ["updated_at", "bigint"],
];
const NAMES: Columns = [
  ["name", "text"],
  ["search", "text"],
];
const STATUS: Columns = [["status", "text"]];

const setColumns = async (trx: ControlTransaction, columns: Columns, rows: readonly Row[]): Promise<void> => {
  const given: Columns = [["id", "text"], ...columns];
  const names = sql.join(given.map(([name]) => sql.ref(name)));
  const set = sql.join(columns.map(([name]) => sql`${sql.ref(name)} = given.${sql.ref(name)}`));
  for (const slice of slices(rows)) {
    const values = slice.map((row, at) =>
      at === 0
        ? sql`(${sql.join(given.map(([name, type]) => sql`cast(${row[name]} as ${sql.raw(type)})`))})`
        : sql`(${sql.join(given.map(([name]) => row[name]))})`,
    );
    // The ids once more, for PostgreSQL: without it goes through all signals to find so many.
    const ids = sql.join(slice.map(({ id }) => id));
    await sql`with given (${names}) as (values ${sql.join(values)})
      update signal set ${set} from given where signal.id = given.id and signal.id in (${ids})`.execute(trx);
  }
};

/** In their order: one may take what another has let go of. */
const replaceExternalIds = async (
  trx: ControlTransaction,
  replacements: readonly SignalReplacement[],
): Promise<void> => {
  for (const { before, next } of replacements) {
    if (before.externalId === next.externalId) continue;
    await trx.updateTable("signal").set({ external_id: next.externalId }).where("id", "=", next.id).execute();
  }
};

const replaceLabels = async (
  trx: ControlTransaction,
  signals: readonly SignalDefinition[],
): Promise<void> => {
  for (const slice of slices(signals.map(({ id }) => id)))
    await trx.deleteFrom("signal_label").where("signal_id", "in", slice).execute();
  for (const labels of slices(signals.flatMap(labelRowsOf)))
    await trx.insertInto("signal_label").values(labels).execute();
};

/** What each signal is at the end, and what of it has changed on the way. */
const finalOf = (replacements: readonly SignalReplacement[]) => {
  const rows = new Map<SignalId, Row>();
  const [renamed, paused] = [new Set<SignalId>(), new Set<SignalId>()];
  const relabelled = new Map<SignalId, SignalDefinition>();
  for (const { before, next, status } of replacements) {
    rows.set(next.id, rowOf(next, status));
    if (before.name !== next.name || before.externalId !== next.externalId) renamed.add(next.id);
    if (before.paused !== next.paused) paused.add(next.id);
    if (relabelled.has(next.id) || !isDeepStrictEqual(before.labels, next.labels))
      relabelled.set(next.id, next);
  }
  const all = [...rows.values()];
  return {
    all,
    renamed: all.filter(({ id }) => renamed.has(id)),
    paused: all.filter(({ id }) => paused.has(id)),
    relabelled: [...relabelled.values()],
  };
};

/** Writes each signal as it is after its last replacement. */
export const replaceSignals = async (
  trx: ControlTransaction,
  replacements: readonly SignalReplacement[],
): Promise<void> => {
  const { all, renamed, paused, relabelled } = finalOf(replacements);
  await replaceExternalIds(trx, replacements);
  await setColumns(trx, SETTINGS, all);
  await setColumns(trx, NAMES, renamed);
  await setColumns(trx, STATUS, paused);
  await replaceLabels(trx, relabelled);
};
