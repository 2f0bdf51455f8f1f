import type { JSONValue } from "json-p3";

const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;
const NUMBER_CHARACTERS_MAX = 64;

/** A finite number, or one written in a string; NaN for all else. */
export const numberOf = (value: JSONValue | undefined): number => {
  if (typeof value === "number") return Number.isFinite(value) ? value : Number.NaN;
  if (typeof value !== "string" || value.length > NUMBER_CHARACTERS_MAX) return Number.NaN;
  const text = value.trim();
  const number = DECIMAL.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? number : Number.NaN;
};

/** A string as it is; a number as JSON writes it. Null for all else, and for whole numbers that have lost digits. */
export const textOf = (value: JSONValue | undefined): string | null => {
  if (typeof value === "string") return value;
  if (typeof value !== "number" || !Number.isFinite(value)) return null;
  return Math.abs(value) > Number.MAX_SAFE_INTEGER ? null : String(value);
};

/** Selected and not null. */
export const isPresent = (value: JSONValue | undefined): boolean => value !== undefined && value !== null;
