import type { ColumnDataType, Expression } from "kysely";

type DataType = ColumnDataType | Expression<unknown>;

/** What the engines call a column's type where they differ; `bigint`, `integer` and `double precision` both know. */
export interface ColumnTypes {
  /** Unicode text that compares and sorts by code point, whatever the server's locale. */
  readonly text: DataType;
  readonly bytes: DataType;
}
