import { type Document, LineCounter, parseDocument } from "yaml";
import { z } from "zod";
import { UsageError } from "../context.ts";

export type Environment = Readonly<Record<string, string | undefined>>;
const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** `${NAME}` in a text is the environment's, so that secrets need not stand in the file. */
const filled = (value: unknown, environment: Environment): unknown => {
  if (typeof value === "string")
    return value.replaceAll(VARIABLE, (_, name: string) => {
      const found = environment[name];
      if (found !== undefined) return found;
      throw new UsageError(`the file names \${${name}}, which is not set`, `Set ${name} in the environment.`);
    });
  if (Array.isArray(value)) return value.map((one) => filled(one, environment));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, filled(one, environment)]));
};

const ADVICE = "It takes what POST takes (/docs shows it), in YAML or JSON.";
export const wrong = (path: string, mistakes: readonly string[]): UsageError =>
  new UsageError(`${path === "-" ? "standard input" : path} is not right`, ADVICE, mistakes);

const Placed = z.looseObject({ range: z.array(z.number()).min(1) });
/** Where in the text something stands, or what holds it where it is missing. */
const offsetOf = (document: Document, path: readonly PropertyKey[]): number => {
  const keys = path.map(String);
  const node = document.getIn(keys, true) ?? document.getIn(keys.slice(0, -1), true);
  return Placed.safeParse(node).data?.range[0] ?? 0;
};

/** Reads YAML, of which JSON is a part; throws `UsageError` that names every mistake with its line. */
export const parseYaml = <T>(schema: z.ZodType<T>, path: string, text: string, environment: Environment) => {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const mistake = (offset: number, message: string) => `line ${lines.linePos(offset).line}: ${message}`;
  if (document.errors.length > 0)
    throw wrong(
      path,
      document.errors.map(({ pos, message }) => mistake(pos[0], message)),
    );
  const written = filled(document.toJS() ?? {}, environment);
  const checked = schema.safeParse(written);
  if (checked.success) return { written, checked: checked.data };
  const mistakes = checked.error.issues.map(({ path: at, message }) =>
    mistake(offsetOf(document, at), `${at.join(".")}${at.length > 0 ? ": " : ""}${message}`),
  );
  throw wrong(path, mistakes);
};
