import type { z } from "zod";
import { placedProblemsOf } from "../domain/field-problems.ts";
import { type Mistake, readYaml } from "./placed-yaml.ts";
import type { LookUp } from "./variables.ts";

/** One thing alone in YAML or JSON, as it is written; or every mistake in it. */
export const readOne = (
  schema: z.ZodType,
  text: string,
  lookUp: LookUp,
): { readonly written: unknown } | { readonly mistakes: readonly Mistake[] } => {
  const yaml = readYaml(text, lookUp);
  if ("mistakes" in yaml) return yaml;
  const { content, problems, mistakeOf } = yaml;
  if (problems.length > 0) return { mistakes: problems.map(mistakeOf) };
  const read = schema.safeParse(content);
  return read.success ? { written: content } : { mistakes: placedProblemsOf(read.error).map(mistakeOf) };
};
