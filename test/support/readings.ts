import { ColumnReader, type ReadingColumns } from "../../src/domain/reading-columns.ts";
import { SignalIds } from "../../src/domain/signal-ids.ts";

/** Lines as an insert into the time series takes them; every one has to be valid. */
export const readingsIn = (lines: readonly Uint8Array[]): ReadingColumns[] => {
  const reader = new ColumnReader((problem) => {
    throw new Error(`no reading line: ${problem}`);
  });
  const ids = new SignalIds();
  return lines.map((block) => reader.read(block, Number.POSITIVE_INFINITY, ids));
};
