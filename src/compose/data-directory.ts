import { readFileSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StartError } from "./start-error.ts";

/** Where the embedded engines keep their files, for this process alone. */
export interface DataDirectory {
  readonly path: string;
  readonly log: string;
  readonly timeSeries: string;
  readonly controlFile: string;
  readonly secretKeyFile: string;
  /** E-mails that are kept instead of sent. */
  readonly mailbox: string;
  release(): void;
}

const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return "code" in error && error.code === "EEXIST" ? "it is a file" : error.message;
};

/** Which process that is, where it has said so: a number to stop it by. */
const holder = (path: string): string => {
  try {
    return ` (process ${readFileSync(join(path, "pid"), "utf8").trim()})`;
  } catch {
    return "";
  }
};

/**
 * An exclusive SQLite transaction that is never committed: the operating system lets go of its lock when the process
 * ends, however it ends, so that no stale lock outlives a kill -9.
 */
const lock = (path: string): (() => void) => {
  const database = new DatabaseSync(join(path, "lock"), { timeout: 2_000 });
  try {
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (!/locked/.test(reasonOf(error))) throw error;
    throw new StartError(
      `The data directory ${path} is in use by another running process of this service${holder(path)}.\n` +
        "Stop that one first, or give this one a directory of its own: DATA_DIR=./other-data PORT=8081 npm start",
    );
  }
  writeFileSync(join(path, "pid"), `${process.pid}\n`);
  return () => database.close();
};

/** Makes the directory (mode 0700) if need be and locks it; a StartError says what to do when that cannot be. */
export const openDataDirectory = async (directory: string): Promise<DataDirectory> => {
  const path = resolve(directory);
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
    const release = lock(path);
    return {
      path,
      log: join(path, "log"),
      timeSeries: join(path, "time-series"),
      controlFile: join(path, "control.db"),
      secretKeyFile: join(path, "secret.key"),
      mailbox: join(path, "mailbox"),
      release,
    };
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(
      `The data directory ${path} cannot be used: ${reasonOf(error)}.\nGive a directory that can be written: DATA_DIR=/path npm start`,
    );
  }
};
