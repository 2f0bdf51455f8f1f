import { readDeclared, type WantedByKind } from "../declared/file.ts";
import { mistakeText } from "../declared/placed-yaml.ts";
import type { LookUp } from "../declared/variables.ts";
import type { PlacedProblem } from "../domain/field-problems.ts";
import { sourceProblems } from "../domain/source-problems.ts";
import { endpointProblem } from "../outgoing/webhook-address.ts";
import type { ConfigMistake, Variables } from "./fields.ts";
import { contents, type ReadFile } from "./files.ts";

const VARIABLE = "CONFIG_FILE";

/** CONFIG_FILE as read at the start: secrets filled in, so it is shown to nobody. */
export interface DeclaredFile {
  readonly path: string;
  readonly wanted: WantedByKind;
}
interface Outcome {
  readonly declared: DeclaredFile | null;
  readonly mistakes: readonly ConfigMistake[];
}

/** `NAME`, or what stands in the file that `NAME_FILE` names; files that cannot be read are added to `unread`. */
const lookUpIn =
  (set: Variables, readFile: ReadFile, unread: Map<string, ConfigMistake>): LookUp =>
  (name) => {
    if (set[name] !== undefined) return set[name];
    const variable = `${name}_FILE`;
    const path = set[variable];
    if (path === undefined) return undefined;
    const read = contents(variable, path, readFile);
    if ("text" in read) return read.text.trim();
    unread.set(variable, read);
    return undefined;
  };

const webhookProblems = (url: string, allowPrivate: boolean): PlacedProblem[] => {
  const message = endpointProblem(url, allowPrivate);
  return message === null ? [] : [{ path: ["url"], message }];
};

/** What CONFIG_FILE wants, checked as the API would; or every mistake in it with its line. */
export const readDeclaredFile = (set: Variables, readFile: ReadFile): Outcome => {
  const path = set[VARIABLE];
  if (path === undefined) return { declared: null, mistakes: [] };
  const file = contents(VARIABLE, path, readFile);
  if (!("text" in file)) return { declared: null, mistakes: [file] };
  const unread = new Map<string, ConfigMistake>();
  const allowPrivate = set.WEBHOOK_ALLOW_PRIVATE === "true";
  const read = readDeclared(file.text, lookUpIn(set, readFile, unread), {
    source: sourceProblems,
    webhook: ({ url }) => webhookProblems(url, allowPrivate),
  });
  if ("wanted" in read) return { declared: { path, wanted: read.wanted }, mistakes: [] };
  const mistakes = read.mistakes.map((one) => ({
    variable: VARIABLE,
    message: `${path}, ${mistakeText(one)}`,
  }));
  return { declared: null, mistakes: [...unread.values(), ...mistakes] };
};
