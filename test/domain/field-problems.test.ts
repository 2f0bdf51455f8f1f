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

  test("name limits, forms and choices as people do", () => {
    const at = z.iso.datetime({ offset: true });
    const schema = z.object({
      n: z.number().min(0),
      s: z.string().max(3),
      l: z.array(z.int()).min(1),
      at,
      e: z.enum(["x", "y"]),
    });
    expect(problemsOf(schema, { n: -1, s: "long", l: [], at: "tomorrow", e: "z" })).toEqual([
      "n: must be at least 0",
      "s: must have at most 3 characters",
      "l: must have at least 1 items",
      "at: must be a time with its zone, such as 2026-01-31T09:00:00Z",
      'e: must be one of "x", "y"',
    ]);
    expect(problemsOf(z.number().gt(5), 5)).toEqual([": must be more than 5"]);
    expect(problemsOf(z.string().regex(/^a/, "must begin with a"), "b")).toEqual([": must begin with a"]);
  });

  test("of a union of simple kinds say all that it may be", () => {
    const signal = { name: "a", threshold: 0.5 };
    expect(problemsOf(SignalCreate, { ...signal, noDataAfterSeconds: "automatic" })).toEqual([
      'noDataAfterSeconds: must be a number or "auto", and is a string',
    ]);
    expect(problemsOf(SignalCreate, { ...signal, noDataAfterSeconds: 0 })).toEqual([
      "noDataAfterSeconds: must be at least 1",
    ]);
  });

  test("of a union are those of the branch that fits best", () => {
    const mapping = { signal: "$.id" };
    expect(problemsOf(SourceCreate, { type: "push", name: "a", mapping })).toEqual([
      "mapping.strength: is needed: a string",
    ]);
  });
});
