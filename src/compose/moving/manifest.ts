import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { SERIES_TABLES } from "../../ports/time-series.ts";
import { StartError } from "../start-error.ts";
import { markOf, placeFile } from "./archive-file.ts";

/** Counts up whenever an archive is laid out in another way: one of a newer format is not read. */
export const ARCHIVE_FORMAT = 1;
const FILE = "manifest.json";
export const JOURNAL_FILE = "export.ndjson";

const whole = z.int().min(0);
const file = { path: z.string(), rows: whole, bytes: whole, sha256: z.string() };

/** Where everything stood when nothing was left to do. */
export const LogEnds = z.strictObject({
  logId: z.string(),
  /** One past the last record of each partition of the readings. */
  readings: z.array(whole),
  /** One past the position of the last event. */
  events: whole,
});
export type LogEnds = z.infer<typeof LogEnds>;

const ControlFile = z.strictObject({ table: z.string(), ...file });
/** The sealed state of one partition: its seal in the first line, then its buckets, each a line. */
const StateFile = z.strictObject({ partition: whole, ...file });
export const SeriesFile = z.strictObject({
  table: z.enum(SERIES_TABLES),
  stretch: z.string(),
  /** The last key of the piece; null: it is the stretch's last one. */
  end: z.tuple([z.string(), z.string()]).nullable(),
  ...file,
});
export type ControlFile = z.infer<typeof ControlFile>;
export type StateFile = z.infer<typeof StateFile>;
export type SeriesFile = z.infer<typeof SeriesFile>;

export const Manifest = z.strictObject({
  format: z.literal(ARCHIVE_FORMAT),
  /** A ULID of the archive. */
  id: z.ulid(),
  /** Version of the program that wrote it. */
  program: z.string(),
  exportedAt: z.string(),
  /** Opens under the installation's SECRET_KEY only. */
  secretKeyCheck: z.string(),
  ends: LogEnds,
  control: z.array(ControlFile),
  state: z.array(StateFile),
  series: z.array(SeriesFile),
  counts: z.record(z.enum(SERIES_TABLES), whole),
});
export type Manifest = z.infer<typeof Manifest>;

const isMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");

const textOf = async (directory: string, name: string): Promise<string | null> => {
  try {
    return await readFile(join(directory, name), "utf8");
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
};

export const hasManifest = async (directory: string): Promise<boolean> =>
  (await textOf(directory, FILE)) !== null;

export const writeManifest = (directory: string, manifest: Manifest): Promise<void> =>
  placeFile(join(directory, FILE), (draft) =>
    writeFile(draft, `${JSON.stringify(manifest, null, 1)}\n`, { mode: 0o600, flush: true }),
  );

const Format = z.object({ format: z.number() });

const parse = (directory: string, text: string): Manifest => {
  const damaged = () =>
    new StartError(`${join(directory, FILE)} is damaged: put it back from a copy, or export again.`);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw damaged();
  }
  const { data } = Format.safeParse(json);
  if (data !== undefined && data.format > ARCHIVE_FORMAT)
    throw new StartError(
      `The archive in ${directory} is of format ${data.format}; this program reads up to ${ARCHIVE_FORMAT}.\nImport it with the version of the program that wrote it, or a newer one.`,
    );
  const manifest = Manifest.safeParse(json);
  if (!manifest.success) throw damaged();
  return manifest.data;
};

/** Throws StartError where there is no finished archive that this program can read. */
export const readManifest = async (directory: string): Promise<Manifest> => {
  const text = await textOf(directory, FILE);
  if (text !== null) return parse(directory, text);
  throw new StartError(
    (await textOf(directory, JOURNAL_FILE)) === null
      ? `There is no archive in ${directory}.\nMake one where the data is now: npm run export -- ${directory}`
      : `The export into ${directory} is not finished.\nRun it again where it was begun, and it goes on: npm run export -- ${directory}`,
  );
};

/** Throws StartError at the first file that is not as it was written. */
export const checkFiles = async (
  directory: string,
  { control, state, series }: Manifest,
  checked: (bytes: number) => void,
): Promise<void> => {
  for (const { path, bytes, sha256 } of [...control, ...state, ...series]) {
    const mark = await markOf(directory, path);
    if (mark === null || mark.bytes !== bytes || mark.sha256 !== sha256)
      throw new StartError(
        `${join(directory, path)} is ${mark === null ? "missing" : "damaged: it is not what was written"}.\nPut it back from a copy of the archive, or export again. Nothing of this archive was imported by this run.`,
      );
    checked(bytes);
  }
};
