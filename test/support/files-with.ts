import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";

/** The files of a data directory that hold any of these; what is kept for the person at this machine may. */
export const filesWith = async (directory: string, secrets: readonly string[]): Promise<string[]> => {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => !path.startsWith(join(directory, "mailbox")));
  expect(paths.length).toBeGreaterThan(5);
  const found = [];
  for (const path of paths) {
    const bytes = await readFile(path);
    if (secrets.some((secret) => bytes.includes(secret))) found.push(path);
  }
  return found;
};
