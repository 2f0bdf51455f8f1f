import type { Dialect, Kysely, Transaction } from "kysely";
import type { ColumnTypes } from "../../../schemas/control/columns.ts";
import type { MonotonicUlids } from "../../domain/ids.ts";
import type { Doer } from "../../ports/audit.ts";
import type { Clock, Entropy } from "../../ports/clock.ts";
import { ControlUnavailableError, type Locks } from "../../ports/control-store.ts";
import type { Health } from "../../ports/worker.ts";
import type { Sealer } from "./sealed.ts";
import type { ControlTables } from "./tables.ts";

/** A unique constraint was hit; thrown by an engine's dialect in place of its own error. */
export class UniqueViolationError extends Error {
  override readonly name = "UniqueViolationError";
}

/** The engine gave a transaction up for another's sake: nothing was written, and doing it again from its start helps. */
export class TransactionConflictError extends ControlUnavailableError {}

/** What differs between the engines of control data; nothing else in this folder knows which one it is. */
export interface ControlEngine {
  /**
   * Throws ControlUnavailableError, TransactionConflictError and UniqueViolationError in place of the engine's own
   * errors, gives 64-bit integers as numbers, and sees changes committed in the order in which their transactions took
   * a row's lock.
   */
  readonly dialect: Dialect;
  readonly columns: ColumnTypes;
  /** Whether `select … for update` is needed and known. */
  readonly rowLocks: boolean;
  /** The schema its tables are in, where one database holds several. */
  readonly schema?: string;
  readonly locks: Locks;
  /** Makes `signal_search` with its index, once the other tables are there; false: it cannot. Not given: scans do. */
  readonly indexSearch?: () => Promise<boolean>;
  health(): Health;
}

/** What the repositories share. */
export interface ControlContext {
  readonly db: Kysely<ControlTables>;
  readonly engine: ControlEngine;
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** Of what is made here. */
  readonly ulids: MonotonicUlids;
  readonly sealer: Sealer;
  /** Of what is given to browsers, and comes back from them. */
  readonly browserSealer: Sealer;
  readonly maxSignals: number;
  readonly maxRules: number;
  /** Under whose name changes are kept; null: under nobody's. */
  readonly by: Doer | null;
  /** Whether there is a table `signal_search`. */
  readonly isSearchIndexed: boolean;
}

export type ControlTransaction = Transaction<ControlTables>;

/** Rows of one statement: engines bound its parameters (SQLite 32,766, PostgreSQL 65,535). */
export const STATEMENT_ROWS = 500;

/** `items` in slices of at most STATEMENT_ROWS. */
export function* slices<T>(items: readonly T[]): Generator<T[]> {
  for (let from = 0; from < items.length; from += STATEMENT_ROWS)
    yield items.slice(from, from + STATEMENT_ROWS);
}
