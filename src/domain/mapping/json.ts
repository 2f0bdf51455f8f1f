import type { JSONValue } from "json-p3";

export type JsonObject = { [key: string]: JSONValue };

export const isObject = (value: JSONValue | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The elements of an array or the members of an object, in order. */
export const children = (value: JSONValue | undefined): readonly JSONValue[] =>
  Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];
