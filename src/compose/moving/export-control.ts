import { KEY_CHECK } from "../../adapters/control/key-check.ts";
import type { CarriedRow, ControlStore } from "../../ports/control-store.ts";
import { MARK } from "../engines.ts";
import { isFactOfLog } from "../succession.ts";
import { writeArchived } from "./archive-file.ts";
import { IMPORT_FACT } from "./import-fact.ts";
import type { ControlFile, LogEnds, StateFile } from "./manifest.ts";

const PAGE = 1_000;
const FACTS = "fact";
const encoder = new TextEncoder();

const line = (value: unknown): Uint8Array => encoder.encode(`${JSON.stringify(value)}\n`);

/** Facts of the log, of the time series and of this database's key are not another's. */
const isCarried = (table: string, { name }: CarriedRow): boolean =>
  table !== FACTS ||
  typeof name !== "string" ||
  !(isFactOfLog(name) || name === MARK || name === KEY_CHECK || name === IMPORT_FACT);

/** Rows of a table, page by page. */
async function* rowsOf({ transfer }: ControlStore, table: string): AsyncGenerator<CarriedRow> {
  for (let last: CarriedRow | null = null; ; ) {
    const page: CarriedRow[] = await transfer.rows(table, last, PAGE);
    for (const row of page) if (isCarried(table, row)) yield row;
    last = page.at(-1) ?? null;
    if (page.length < PAGE) return;
  }
}

/** Writes every table as it is now, each row a line. */
export const exportControl = async (
  control: ControlStore,
  directory: string,
  written: (rows: number) => void,
): Promise<ControlFile[]> => {
  const files: ControlFile[] = [];
  for (const table of control.transfer.tables) {
    let rows = 0;
    const path = `control/${table}.ndjson.zst`;
    const lines = async function* () {
      for await (const row of rowsOf(control, table)) {
        rows++;
        written(1);
        yield line(row);
      }
    };
    files.push({ table, path, ...(await writeArchived(directory, path, lines())), rows });
  }
  return files;
};

/** Writes the sealed state of each partition that had records: its seal, then its buckets. */
export const exportState = async (
  { snapshots }: ControlStore,
  { readings }: LogEnds,
  directory: string,
): Promise<StateFile[]> => {
  const files: StateFile[] = [];
  for (const [partition, end] of readings.entries()) {
    const seal = end === 0 ? null : await snapshots.newest(partition);
    if (seal === null) continue;
    const path = `state/${String(partition).padStart(4, "0")}.ndjson.zst`;
    const decoder = new TextDecoder();
    const lines = async function* () {
      yield line(seal);
      for (let index = 0; index < seal.buckets; index++) {
        const bytes = await snapshots.bucket(partition, seal.generation, index);
        if (bytes === null) throw new Error(`bucket ${index} of partition ${partition} is missing`);
        yield line(decoder.decode(bytes));
      }
    };
    const mark = await writeArchived(directory, path, lines());
    files.push({ partition, path, ...mark, rows: seal.buckets + 1 });
  }
  return files;
};
