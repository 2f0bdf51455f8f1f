import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { z } from "zod";

export const ROOT = new URL("../..", import.meta.url).pathname;

/** The text of a file, by its path from the root. */
export const fileText = (path: string): string => readFileSync(join(ROOT, path), "utf8");

/** Every document of a YAML file, with `<<` merged as Compose does; throws at the first mistake. */
export const yamlDocuments = (path: string): unknown[] =>
  parseAllDocuments(fileText(path), { merge: true, strict: true, uniqueKeys: true }).map((document) => {
    const [mistake] = [...document.errors, ...document.warnings];
    if (mistake !== undefined) throw mistake;
    return document.toJS();
  });

/** All files below a directory, by their paths from the root. */
export const filesBelow = (directory: string): string[] =>
  readdirSync(join(ROOT, directory), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length))
    .sort();

/** VARIABLE=value lines, as in an environment file; comments and empty lines left out. */
export const variablesIn = (path: string): Map<string, string> =>
  new Map(
    fileText(path)
      .split("\n")
      .filter((line) => /^\w/.test(line))
      .map((line) => z.tuple([z.string(), z.string()]).parse(line.split(/=(.*)/s).slice(0, 2))),
  );
