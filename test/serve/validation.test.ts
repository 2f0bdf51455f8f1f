import { describe, expect, test } from "vitest";
import { z } from "zod";
import { EventsQuery } from "../../schemas/event.ts";
import { SourceCreate } from "../../schemas/source.ts";
import { fieldProblemsOf } from "../../src/serve/validation.ts";

const problems = (schema: z.ZodType, value: unknown) => {
  const { error } = schema.safeParse(value);
  return error === undefined ? [] : fieldProblemsOf(error);
};
const websocket = { type: "websocket", name: "a", url: "wss://example.com" };

describe("what is said of a bad request", () => {
  test("names every field that nobody knows", () => {
    expect(problems(SourceCreate, { ...websocket, zeal: 1, zest: 2 })).toEqual([
      { path: "zeal", message: "is not a known field" },
      { path: "zest", message: "is not a known field" },
    ]);
  });

  test("of a union, speaks of the branch that was meant", () => {
    expect(problems(SourceCreate, { ...websocket, mapping: { signal: "$.a" } })).toMatchObject([
      { path: "mapping.strength" },
    ]);
    expect(problems(SourceCreate, { ...websocket, mapping: { preset: "nope" } })).toMatchObject([
      { path: "mapping.preset" },
    ]);
    expect(problems(EventsQuery, { event: ["bad", "signal.failed"] })).toMatchObject([{ path: "event.0" }]);
  });

  test("gives the place within a list", () => {
    const schema = z.strictObject({ steps: z.array(z.strictObject({ at: z.number() })) });
    expect(problems(schema, { steps: [{ at: 1 }, { at: "x" }] })).toMatchObject([{ path: "steps.1.at" }]);
  });
});
