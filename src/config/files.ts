import type { ConfigMistake, Variables } from "./fields.ts";

/** The text of a file; throws when it cannot be read. */
export type ReadFile = (path: string) => string;

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** What `variable`, a path, leads to. */
export const contents = (
  variable: string,
  path: string,
  readFile: ReadFile,
): { readonly text: string } | ConfigMistake => {
  try {
    return { text: readFile(path) };
  } catch (error) {
    return { variable, message: `cannot be read: ${reasonOf(error)}` };
  }
};

/** Secrets may stand in files, as container platforms mount them: `NAME_FILE` is read where `NAME` would stand. */
export const withSecretFiles = (
  set: Variables,
  names: Iterable<string>,
  readFile: ReadFile,
): { readonly set: Variables; readonly mistakes: readonly ConfigMistake[] } => {
  const merged: Record<string, string | undefined> = { ...set };
  const mistakes: ConfigMistake[] = [];
  for (const name of names) {
    const variable = `${name}_FILE`;
    const path = set[variable];
    if (path === undefined) continue;
    const read = contents(variable, path, readFile);
    if (set[name] !== undefined) mistakes.push({ variable, message: `is set beside ${name}: unset one` });
    else if ("text" in read) merged[name] = read.text.trim();
    else mistakes.push(read);
  }
  return { set: merged, mistakes };
};
