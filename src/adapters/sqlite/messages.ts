import type { SQLInputValue } from "node:sqlite";

/** What the thread is started with. */
export interface ThreadArguments {
  readonly path: string;
  readonly busyTimeoutMs: number;
}

export interface StatementRequest {
  readonly id: number;
  readonly sql: string;
  readonly parameters: readonly SQLInputValue[];
}
/** Null: close the database and end. */
export type ToThread = StatementRequest | null;

/** An error's words and SQLite's extended result code (https://sqlite.org/rescode.html), if it came from there. */
export interface Fault {
  readonly message: string;
  readonly code: number | null;
}
export interface StatementReply {
  /** Of the request; 0 says that the database is open. */
  readonly id: number;
  readonly fault: Fault | null;
  /** The names of the rows' columns, once for all of them: as objects they would take three times as long to hand over. */
  readonly columns: readonly string[];
  readonly rows: readonly unknown[];
  readonly changes: number;
  /** Whether a transaction is open after the statement. */
  readonly inTransaction: boolean;
}
