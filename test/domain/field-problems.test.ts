import { describe, expect, test } from "vitest";
import { z } from "zod";
import { SignalCreate } from "../../schemas/signal.ts";
import { SourceCreate } from "../../schemas/source.ts";
import { pathText, placedProblemsOf } from "../../src/domain/field-problems.ts";

const problemsOf = (schema: z.ZodType, given: unknown): string[] => {
  const { error } = schema.safeParse(given);
  return error === undefined
    ? []
    : placedProblemsOf(error).map(({ path, message }) => `${pathText(path)}: ${message}`);
};

describe("mistakes in what was given", () => {
  test("are told in words, each with its place", () => {
    expect(problemsOf(SignalCreate, {})).toEqual([
      "name: is needed: a string",
      "threshold: is needed: a number",
    ]);
    expect(problemsOf(SignalCreate, { name: 5, threshold: "1", labels: [], treshold: 1 })).toEqual([
      "name: must be a string, and is a number",
      "threshold: must be a number, and is a string",
      "labels: must be an object, and is an array",
      "treshold: is not a known field",
    ]);
    expect(problemsOf(z.array(z.boolean()), [null])).toEqual(["0: must be true or false, and is null"]);
    expect(problemsOf(SignalCreate, 5)).toEqual([": must be an object, and is a number"]);
  });

  test("of a union are those of the branch that fits best", () => {
    const mapping = { signal: "$.id" };
    expect(problemsOf(SourceCreate, { type: "push", name: "a", mapping })).toEqual([
      "mapping.strength: is needed: a string",
    ]);
  });
});
