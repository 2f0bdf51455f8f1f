import { type FileHandle, mkdir, open, readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { StartError } from "../start-error.ts";
import { ARCHIVE_FORMAT, hasManifest, JOURNAL_FILE, LogEnds, SeriesFile } from "./manifest.ts";

const Header = z.strictObject({ format: z.literal(ARCHIVE_FORMAT), id: z.ulid(), ends: LogEnds });

interface Known {
  readonly id: string;
  readonly files: readonly SeriesFile[];
}

const parsed = (line: string): unknown => {
  try {
    return JSON.parse(line);
  } catch {
    // Cut off amid its writing.
    return null;
  }
};

const known = async (path: string, ends: LogEnds): Promise<Known | null> => {
  const text = await readFile(path, "utf8").catch(() => "");
  const [first = "", ...rest] = text.split("\n");
  const header = Header.safeParse(parsed(first));
  if (!header.success || !isDeepStrictEqual(header.data.ends, ends)) return null;
  const files = rest.flatMap((line) => SeriesFile.safeParse(parsed(line)).data ?? []);
  return { id: header.data.id, files };
};

/** Whether an archive may be made there: not beside other things, and not over one that is finished. */
export const refuseOccupied = async (directory: string): Promise<void> => {
  if (await hasManifest(directory))
    throw new StartError(
      `${directory} holds an archive that is finished.\nImport that one, or name another directory: npm run export -- ${directory}-2`,
    );
  const names: string[] = await readdir(directory).catch(() => []);
  if (names.length > 0 && !names.includes(JOURNAL_FILE))
    throw new StartError(
      `${directory} is not empty.\nName a directory for the archive alone: npm run export -- ./archive`,
    );
};

/**
 * What of the time series is in the archive already, for an export that was cut off: each file is noted once it is
 * whole. Where the log went on since then, nothing is, for the time series has gone on too.
 */
export class ExportJournal {
  readonly archiveId: string;
  readonly #file: FileHandle;
  readonly #directory: string;
  readonly #files: Map<string, SeriesFile>;

  private constructor(directory: string, file: FileHandle, { id, files }: Known) {
    this.#directory = directory;
    this.#file = file;
    this.archiveId = id;
    this.#files = new Map(files.map((each) => [each.path, each]));
  }

  static async open(directory: string, ends: LogEnds, newId: string): Promise<ExportJournal> {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const path = join(directory, JOURNAL_FILE);
    const before = await known(path, ends);
    const file = await open(path, before === null ? "w" : "a", 0o600);
    const journal = new ExportJournal(directory, file, before ?? { id: newId, files: [] });
    if (before === null) await journal.#write({ format: ARCHIVE_FORMAT, id: journal.archiveId, ends });
    // Behind a line that was cut off.
    else await file.appendFile("\n");
    return journal;
  }

  /** What is noted of a file, if the file is there. */
  async find(path: string): Promise<SeriesFile | null> {
    const noted = this.#files.get(path);
    if (noted === undefined) return null;
    const there = await stat(join(this.#directory, path)).catch(() => null);
    return there?.size === noted.bytes ? noted : null;
  }

  async add(file: SeriesFile): Promise<void> {
    this.#files.set(file.path, file);
    await this.#write(file);
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  async #write(line: object): Promise<void> {
    await this.#file.appendFile(`${JSON.stringify(line)}\n`);
    await this.#file.datasync();
  }
}
