import type { HandshakeStep, Mapping, PollCursor } from "../../schemas/source.ts";
import { compileMapping } from "../domain/mapping/compile.ts";
import { compilePath, PathError } from "../domain/mapping/path.ts";
import { type FieldProblem, validationFailed } from "./problem.ts";
import { HIDDEN } from "./source-answer.ts";

interface Settings {
  readonly name?: string | undefined;
  readonly url?: string | undefined;
  readonly body?: unknown;
  readonly cursor?: PollCursor | null | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly mapping?: Mapping | undefined;
  readonly handshake?: readonly HandshakeStep[] | undefined;
}

const mappingProblems = (mapping: Mapping): FieldProblem[] => {
  const compiled = compileMapping(mapping);
  return compiled.ok ? [] : [{ path: "mapping", message: compiled.message }];
};

const pathProblems = (path: string, text: string): FieldProblem[] => {
  try {
    compilePath(text);
    return [];
  } catch (error) {
    if (!(error instanceof PathError)) throw error;
    return [{ path, message: error.message }];
  }
};

const stepProblems = (step: HandshakeStep, index: number): FieldProblem[] =>
  "expect" in step && step.expect.startsWith("$")
    ? pathProblems(`handshake.${index}.expect`, step.expect)
    : [];

/** What is shown instead of a secret, sent back as if it were one, would be kept in its place. */
const maskProblems = ({ url, body, headers = {}, handshake = [] }: Settings): FieldProblem[] => {
  const query = url === undefined ? [] : [...new URL(url).searchParams.values()];
  const masked = [
    ...(query.includes(HIDDEN) ? ["url"] : []),
    ...(body === HIDDEN ? ["body"] : []),
    ...Object.keys(headers).flatMap((name) => (headers[name] === HIDDEN ? [`headers.${name}`] : [])),
    ...handshake.flatMap((step, at) =>
      "send" in step && step.send === HIDDEN ? [`handshake.${at}.send`] : [],
    ),
  ];
  const message = `${HIDDEN} stands for a secret that is not shown: send the secret itself, or leave the field out`;
  return masked.map((path) => ({ path, message }));
};

/** Refuses a source whose secrets are masks, or whose JSONPaths cannot be used, before anything connects. */
export const checkSource = (settings: Settings): void => {
  const { mapping, cursor, handshake = [] } = settings;
  const problems = [
    ...maskProblems(settings),
    ...(mapping === undefined ? [] : mappingProblems(mapping)),
    ...handshake.flatMap(stepProblems),
    ...(cursor == null ? [] : pathProblems("cursor.path", cursor.path)),
  ];
  if (problems.length > 0) throw validationFailed(problems);
};
