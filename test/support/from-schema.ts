import fc from "fast-check";
import { z } from "zod";

const Json = z.record(z.string(), z.unknown());
const Schema = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  const: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
  anyOf: z.array(Json).optional(),
  oneOf: z.array(Json).optional(),
  allOf: z.array(Json).optional(),
  properties: z.record(z.string(), Json).default({}),
  required: z.array(z.string()).default([]),
  additionalProperties: z.union([z.boolean(), Json]).optional(),
  propertyNames: Json.optional(),
  items: Json.optional(),
  minItems: z.number().default(0),
  maxItems: z.number().default(4),
  minLength: z.number().default(0),
  maxLength: z.number().default(20),
  pattern: z.string().optional(),
  format: z.string().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
});
type Schema = z.infer<typeof Schema>;
type Value = fc.Arbitrary<unknown>;

const ANYTHING: Value = fc.jsonValue({ maxDepth: 2 });
/** Beyond it nothing is learned, and much is waited for. */
const ITEMS_MAX = 4;

const text = ({ pattern, format, minLength, maxLength }: Schema, known: readonly string[]): Value => {
  if (format === "date-time")
    return fc
      .date({ min: new Date("2000-01-01"), max: new Date("2035-01-01"), noInvalidDate: true })
      .map((date) => date.toISOString());
  if (format === "uri") return fc.webUrl({ validSchemes: ["https"] });
  if (pattern !== undefined) {
    const fitting = known.filter((one) => new RegExp(pattern).test(one));
    const made = fc.stringMatching(new RegExp(pattern));
    return fitting.length === 0 ? made : fc.oneof(fc.constantFrom(...fitting), made);
  }
  return fc.string({ minLength, maxLength: Math.max(minLength, Math.min(maxLength, 40)), unit: "grapheme" });
};

const number = ({ minimum = -1e6, maximum = 1e6 }: Schema, isWhole: boolean): Value =>
  isWhole
    ? fc.integer({ min: Math.max(minimum, -(2 ** 31)), max: Math.min(maximum, 2 ** 31 - 1) })
    : fc.double({ min: minimum, max: maximum, noNaN: true });

const list = ({ items, minItems, maxItems }: Schema, known: readonly string[]): Value =>
  fc.array(items === undefined ? ANYTHING : fromSchema(items, known), {
    minLength: minItems,
    maxLength: Math.max(minItems, Math.min(maxItems, ITEMS_MAX)),
  });

/** All of a kind of field together are seldom right: often there are only a few of those that may be left out. */
export const record = (fields: Readonly<Record<string, Value>>, required: readonly string[]): Value => {
  const optional = Object.keys(fields).filter((name) => !required.includes(name));
  const few = fc.subarray(optional, { maxLength: Math.min(2, optional.length) }).chain((names) => {
    const kept = [...required, ...names];
    return fc.record(Object.fromEntries(Object.entries(fields).filter(([name]) => kept.includes(name))));
  });
  return fc.oneof(few, fc.record({ ...fields }, { requiredKeys: [...required] }));
};

const object = (schema: Schema, known: readonly string[]): Value => {
  const { properties, required, additionalProperties, propertyNames } = schema;
  const fields = Object.entries(properties).map(([name, one]) => [name, fromSchema(one, known)] as const);
  const own = record(
    Object.fromEntries(fields),
    required.filter((name) => name in properties),
  );
  if (typeof additionalProperties !== "object") return own;
  const names = propertyNames === undefined ? fc.string() : fromSchema(propertyNames).map(String);
  const others = fc.dictionary(names, fromSchema(additionalProperties, known), { maxKeys: 3 });
  return fc.tuple(others, own).map(([some, more]) => Object.assign({}, some, more));
};

const ofType = (schema: Schema, type: string | undefined, known: readonly string[]): Value => {
  switch (type) {
    case "string":
      return text(schema, known);
    case "number":
      return number(schema, false);
    case "integer":
      return number(schema, true);
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return list(schema, known);
    case "object":
      return object(schema, known);
    default:
      return ANYTHING;
  }
};

/** Values that fit a JSON schema, as far as these schemas go; small ones. Of texts with a pattern often `known` ones. */
export const fromSchema = (json: unknown, known: readonly string[] = []): Value => {
  const schema = Schema.parse(json);
  const { const: only, enum: some, anyOf, oneOf, allOf, type } = schema;
  const each = (parts: readonly unknown[]) => parts.map((part) => fromSchema(part, known));
  if (only !== undefined) return fc.constant(only);
  if (some !== undefined) return fc.constantFrom(...some);
  const choices = anyOf ?? oneOf;
  if (choices !== undefined) return fc.oneof(...each(choices));
  if (allOf !== undefined) return fc.tuple(...each(allOf)).map((parts) => Object.assign({}, ...parts));
  return Array.isArray(type)
    ? fc.oneof(...type.map((one) => ofType(schema, one, known)))
    : ofType(schema, type, known);
};

const HOSTILE: readonly unknown[] = [
  null,
  "",
  " ",
  "\u0000",
  "\ud800",
  "1e999",
  "__proto__",
  "constructor",
  "' OR 1=1 --",
  "../../etc/passwd",
  "x".repeat(5_000),
  0,
  -0,
  -1,
  0.1,
  1e308,
  2 ** 53,
  true,
  [],
  [[[[[]]]]],
  {},
  { toString: 1 },
  "sig_01JDA2V3Q8R5T7W9Y1B3D5F7H9",
  "2026-02-30T25:61:00Z",
  "9999-12-31T23:59:59.999Z",
];

/** A value with one place of it made something else: another value, missing, or one too many. */
export const mutated = (valid: Value): Value =>
  fc
    .tuple(valid, fc.constantFrom(...HOSTILE), fc.array(fc.nat(), { maxLength: 6 }), fc.nat(3))
    .map(([value, hostile, way, what]) => mutate(value, hostile, way, what));

const mutate = (
  value: unknown,
  hostile: unknown,
  [step, ...way]: readonly number[],
  what: number,
): unknown => {
  if (step === undefined || typeof value !== "object" || value === null) return hostile;
  const entries = Object.entries(value);
  if (what === 0 && !Array.isArray(value)) return { ...value, [`unknown${step % 3}`]: hostile };
  const at = step % Math.max(1, entries.length);
  if (what === 1 && way.length === 0) entries.splice(at, 1);
  const changed = entries.map(([key, one], index) => [
    key,
    index === at ? mutate(one, hostile, way, what) : one,
  ]);
  return Array.isArray(value) ? changed.map(([, one]) => one) : Object.fromEntries(changed);
};
