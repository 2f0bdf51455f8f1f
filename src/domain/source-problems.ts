import { HIDDEN, hasHiddenQuery } from "../../schemas/hidden.ts";
import type { HandshakeStep, Heartbeat, Mapping, PollCursor } from "../../schemas/source.ts";
import type { PlacedProblem } from "./field-problems.ts";
import { compileMapping } from "./mapping/compile.ts";
import { compilePath, PathError } from "./mapping/path.ts";

/** A source, or those of its settings that are to change. */
export interface CheckedSource {
  readonly name?: string | undefined;
  readonly url?: string | undefined;
  readonly body?: unknown;
  readonly cursor?: PollCursor | null | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly mapping?: Mapping | undefined;
  readonly subprotocols?: readonly string[] | undefined;
  readonly handshake?: readonly HandshakeStep[] | undefined;
  readonly heartbeat?: Heartbeat | undefined;
}

const mappingProblems = (mapping: Mapping): PlacedProblem[] => {
  const compiled = compileMapping(mapping);
  return compiled.ok ? [] : [{ path: ["mapping"], message: compiled.message }];
};

const pathProblems = (path: PlacedProblem["path"], text: string): PlacedProblem[] => {
  try {
    compilePath(text);
    return [];
  } catch (error) {
    if (!(error instanceof PathError)) throw error;
    return [{ path, message: error.message }];
  }
};

const stepProblems = (step: HandshakeStep, index: number): PlacedProblem[] =>
  "expect" in step && step.expect.startsWith("$")
    ? pathProblems(["handshake", index, "expect"], step.expect)
    : [];

/** Where masks of secrets stand. */
const masked = (source: CheckedSource): PlacedProblem["path"][] => {
  const { url, body, headers = {}, subprotocols = [], handshake = [], heartbeat } = source;
  return [
    ...(url !== undefined && hasHiddenQuery(url) ? [["url"]] : []),
    ...(body === HIDDEN ? [["body"]] : []),
    ...Object.keys(headers).flatMap((name) => (headers[name] === HIDDEN ? [["headers", name]] : [])),
    ...subprotocols.flatMap((one, at) => (one === HIDDEN ? [["subprotocols", at]] : [])),
    ...handshake.flatMap((step, at) =>
      "send" in step && step.send === HIDDEN ? [["handshake", at, "send"]] : [],
    ),
    ...(heartbeat?.send === HIDDEN ? [["heartbeat", "send"]] : []),
  ];
};

/** What is shown instead of a secret, sent back as if it were one, would be kept in its place. */
const maskProblems = (source: CheckedSource): PlacedProblem[] =>
  masked(source).map((path) => ({
    path,
    message: `${HIDDEN} stands for a secret that is not shown: send the secret itself, or leave out \`${String(path[0])}\`, so that it stays as it is`,
  }));

/** What the schema cannot say of a source: masks in place of secrets, and JSONPaths that cannot be used. */
export const sourceProblems = (source: CheckedSource): PlacedProblem[] => {
  const { mapping, cursor, handshake = [] } = source;
  return [
    ...maskProblems(source),
    ...(mapping === undefined ? [] : mappingProblems(mapping)),
    ...handshake.flatMap(stepProblems),
    ...(cursor == null ? [] : pathProblems(["cursor", "path"], cursor.path)),
  ];
};
