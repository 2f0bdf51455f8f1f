import { RuleCreate } from "../../../schemas/rule.ts";
import { SourceCreate } from "../../../schemas/source.ts";
import { readDeclared, type WantedByKind } from "../../declared/file.ts";
import { readOne } from "../../declared/one.ts";
import { type Mistake, mistakeText } from "../../declared/placed-yaml.ts";
import { UsageError } from "../context.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const ADVICE = "It takes what POST takes (/docs shows it), in YAML or JSON.";
const wrong = (path: string, mistakes: readonly Mistake[]): UsageError =>
  new UsageError(`${path === "-" ? "standard input" : path} is not right`, ADVICE, mistakes.map(mistakeText));

/** What a configuration file wants; throws `UsageError` that names every mistake with its line. */
export const parseConfig = (path: string, text: string, environment: Environment): WantedByKind => {
  const read = readDeclared(text, (name) => environment[name]);
  if ("mistakes" in read) throw wrong(path, read.mistakes);
  return read.wanted;
};

/** A source alone, as written; throws as `parseConfig`. */
export const parseSource = (path: string, text: string, environment: Environment): unknown => {
  const read = readOne(SourceCreate, text, (name) => environment[name]);
  if ("mistakes" in read) throw wrong(path, read.mistakes);
  return read.written;
};

/** A rule alone, as written; throws as `parseConfig`. */
export const parseRule = (path: string, text: string, environment: Environment): unknown => {
  const read = readOne(RuleCreate, text, (name) => environment[name]);
  if ("mistakes" in read) throw wrong(path, read.mistakes);
  return read.written;
};
