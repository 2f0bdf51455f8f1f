import { sql } from "kysely";
import type { CarriedRow, ControlTransfer } from "../../ports/control-store.ts";
import { type AnyCarriedTable, type ColumnKind, carriedTable, carriedTables } from "./carried-tables.ts";
import { type ControlContext, slices } from "./engine.ts";
import { inTransaction } from "./transaction.ts";

type Stored = Readonly<Record<string, string | number | Uint8Array | null>>;

const shown = (value: Stored[string] | undefined): string | number | null =>
  value instanceof Uint8Array ? Buffer.from(value).toString("base64") : (value ?? null);

const stored = (row: CarriedRow, [name, kind]: readonly [string, ColumnKind]): Stored[string] => {
  const value = row[name];
  if (value === null) return null;
  if (kind === "number" && typeof value === "number") return value;
  if (kind === "text" && typeof value === "string") return value;
  if (kind === "bytes" && typeof value === "string") return Buffer.from(value, "base64");
  throw new RangeError(`a row with a ${typeof value} as ${name}`);
};

const namesOf = (names: readonly string[]) => sql.join(names.map((name) => sql.ref(name)));

const selectRows = async (
  { db }: ControlContext,
  { name, key, columns }: AnyCarriedTable,
  last: CarriedRow | null,
  limit: number,
): Promise<CarriedRow[]> => {
  const keys = namesOf(key);
  const after =
    last === null ? sql`` : sql`where (${keys}) > (${sql.join(key.map((column) => last[column]))})`;
  const all = namesOf(columns.map(([column]) => column));
  const page = sql<Stored>`select ${all} from ${sql.table(name)} ${after} order by ${keys} limit ${limit}`;
  const { rows } = await page.execute(db);
  return rows.map((row) => Object.fromEntries(columns.map(([column]) => [column, shown(row[column])])));
};

const insertRows = (
  context: ControlContext,
  { name, columns }: AnyCarriedTable,
  rows: readonly CarriedRow[],
): Promise<void> =>
  inTransaction(context, async (trx) => {
    const all = namesOf(columns.map(([column]) => column));
    for (const slice of slices(rows)) {
      const values = slice.map((row) => sql`(${sql.join(columns.map((column) => stored(row, column)))})`);
      await sql`insert into ${sql.table(name)} (${all}) values ${sql.join(values)} on conflict do nothing`.execute(
        trx,
      );
    }
  });

/** Rows of any table that is carried, by its description alone. */
export const createControlTransfer = (context: ControlContext): ControlTransfer => ({
  tables: carriedTables.map(({ name }) => name),
  rows: async (table, last, limit) => selectRows(context, carriedTable(table), last, limit),
  add: async (table, rows) => insertRows(context, carriedTable(table), rows),
  count: async (table) => {
    const { name } = carriedTable(table);
    const { rows } = await sql<{ rows: number }>`select count(*) as rows from ${sql.table(name)}`.execute(
      context.db,
    );
    return rows[0]?.rows ?? 0;
  },
});
