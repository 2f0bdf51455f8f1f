import type { HandshakeStep, Mapping } from "../../schemas/source.ts";
import { compileMapping } from "../domain/mapping/compile.ts";
import { compilePath, PathError } from "../domain/mapping/path.ts";
import { type FieldProblem, validationFailed } from "./problem.ts";

interface Paths {
  readonly mapping?: Mapping | undefined;
  readonly handshake?: readonly HandshakeStep[] | undefined;
}

const mappingProblems = (mapping: Mapping): FieldProblem[] => {
  const compiled = compileMapping(mapping);
  return compiled.ok ? [] : [{ path: "mapping", message: compiled.message }];
};

const stepProblems = (step: HandshakeStep, index: number): FieldProblem[] => {
  if (!("expect" in step) || !step.expect.startsWith("$")) return [];
  try {
    compilePath(step.expect);
    return [];
  } catch (error) {
    if (!(error instanceof PathError)) throw error;
    return [{ path: `handshake.${index}.expect`, message: error.message }];
  }
};

/** Refuses a source whose JSONPaths cannot be used, before anything connects. */
export const checkPaths = ({ mapping, handshake = [] }: Paths): void => {
  const problems = [
    ...(mapping === undefined ? [] : mappingProblems(mapping)),
    ...handshake.flatMap(stepProblems),
  ];
  if (problems.length > 0) throw validationFailed(problems);
};
