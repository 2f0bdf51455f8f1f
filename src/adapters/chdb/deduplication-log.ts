import { type IsPresent, parsePartName } from "./part-name.ts";

/**
 * ClickHouse's deduplication log of a table without replication: lines `operation \t part \t block id \n`, 1 adds a
 * block, 2 drops it; files in the order of their numbers (src/Storages/MergeTree/MergeTreeDeduplicationLog.cpp, 26.7).
 */
const LINE = /^([12])\t([^\t]+)\t([^\t]+)$/;
const FILE_NAME = /^deduplication_log_(\d+)\.txt$/;

export interface LogFile {
  readonly name: string;
  readonly text: string;
}
export interface Entry {
  readonly part: string;
  readonly blockId: string;
}
export interface LogFaults {
  /** Blocks that the log has and whose part is not there: a retried insert of them would be lost. */
  readonly phantoms: readonly Entry[];
  /** Files that end within a line, and how many of their characters make whole lines. */
  readonly torn: readonly { readonly name: string; readonly wholeLength: number }[];
  /** Where new lines belong; null when there is no file. */
  readonly newest: string | null;
}

const numberOf = (name: string): number | null => {
  const digits = FILE_NAME.exec(name)?.[1];
  return digits === undefined ? null : Number(digits);
};

/** In the order in which they were written, or null when one is not named as this engine names them. */
const inOrder = (files: readonly LogFile[]): LogFile[] | null => {
  const numbered = files.map((file) => ({ file, number: numberOf(file.name) ?? Number.NaN }));
  if (numbered.some(({ number }) => Number.isNaN(number))) return null;
  return numbered.sort((a, b) => a.number - b.number).map(({ file }) => file);
};

const wholeLengthOf = (text: string): number => text.lastIndexOf("\n") + 1;

/** Every block that counts as inserted, with the parts named for it; null at a line that is not of this format. */
const replay = (lines: Iterable<string>): Map<string, string[]> | null => {
  const parts = new Map<string, string[]>();
  for (const line of lines) {
    const [, operation, part, blockId] = LINE.exec(line) ?? [];
    if (part === undefined || blockId === undefined || parsePartName(part) === null) return null;
    if (operation === "2") parts.delete(blockId);
    else parts.set(blockId, [...(parts.get(blockId) ?? []), part]);
  }
  return parts;
};

/**
 * What a process that was killed can leave wrong in a table's log. The engine writes a block's line just before it
 * renames the part into place, under one lock: killed in between, it leaves a line without a part, never the reverse.
 * (Later versions may turn the order round; the test of an insert that fails after the note would tell.)
 * Null when the files are not of the format known here.
 */
export const faultsOf = (files: readonly LogFile[], isPresent: IsPresent): LogFaults | null => {
  const ordered = inOrder(files);
  if (ordered === null) return null;
  const whole = ordered.map(({ name, text }) => ({ name, text, wholeLength: wholeLengthOf(text) }));
  const lines = whole.flatMap(({ text, wholeLength }) => text.slice(0, wholeLength).split("\n").slice(0, -1));
  const parts = replay(lines);
  if (parts === null) return null;
  const isThere = (name: string): boolean => {
    const part = parsePartName(name);
    return part !== null && isPresent(part);
  };
  const phantoms = [...parts]
    .filter(([, names]) => !names.some(isThere))
    .map(([blockId, names]) => ({ blockId, part: names.at(-1) ?? "" }));
  return {
    phantoms,
    torn: whole.filter(({ text, wholeLength }) => wholeLength < text.length),
    newest: ordered.at(-1)?.name ?? null,
  };
};

/** The engine's own way to forget blocks. */
export const dropLines = (entries: readonly Entry[]): string =>
  entries.map(({ part, blockId }) => `2\t${part}\t${blockId}\n`).join("");
