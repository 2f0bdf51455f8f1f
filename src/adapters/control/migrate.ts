import type { Kysely } from "kysely";
import { Migrator } from "kysely/migration";
import { CONTROL_MIGRATIONS, type ControlMigration } from "../../../schemas/control/migrations.ts";
import { ControlUnavailableError } from "../../ports/control-store.ts";
import type { ControlEngine } from "./engine.ts";
import type { ControlTables } from "./tables.ts";

/** The database was written by a newer program, or a migration failed. */
export class ControlMigrationError extends Error {
  override readonly name = "ControlMigrationError";
}

const TABLE = "control_migration";

type Target = Pick<ControlEngine, "columns" | "schema">;

const appliedMigrations = async (db: Kysely<ControlTables>, { schema }: Target): Promise<string[]> => {
  const tables = await db.introspection.getTables();
  if (!tables.some((table) => table.name === TABLE && table.schema === schema)) return [];
  const query = db.withTables<{ [TABLE]: { name: string } }>().selectFrom(TABLE).select("name");
  return (await query.execute()).map(({ name }) => name);
};

const refuseNewer = async (
  db: Kysely<ControlTables>,
  target: Target,
  known: Readonly<Record<string, unknown>>,
) => {
  const newer = (await appliedMigrations(db, target)).filter((name) => !Object.hasOwn(known, name)).sort();
  if (newer.length === 0) return;
  throw new ControlMigrationError(
    `the control data is newer than this program: it has ${newer.join(", ")}; start a newer version of the service`,
  );
};

/** Applies what is missing, all in one transaction, once however many processes start together. */
export const migrateControl = async (
  db: Kysely<ControlTables>,
  target: Target,
  migrations: Readonly<Record<string, ControlMigration>> = CONTROL_MIGRATIONS,
): Promise<void> => {
  const { columns, schema } = target;
  await refuseNewer(db, target, migrations);
  const bound = Object.entries(migrations).map(([name, { up }]) => [
    name,
    { up: (into: Kysely<unknown>) => up(into, columns) },
  ]);
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => Object.fromEntries(bound) },
    migrationTableName: TABLE,
    migrationLockTableName: `${TABLE}_lock`,
    ...(schema === undefined ? {} : { migrationTableSchema: schema }),
  });
  const { error, results } = await migrator.migrateToLatest();
  if (error === undefined) return;
  if (error instanceof ControlUnavailableError) throw error;
  const failed = results?.find(({ status }) => status === "Error")?.migrationName ?? "the migrations";
  throw new ControlMigrationError(`${failed} of the control data failed`, { cause: error });
};
