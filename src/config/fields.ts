import { z } from "zod";

/** A whole number written in decimal, within bounds; the environment knows only strings. */
export const whole = (what: string, min: number, max: number) =>
  z.string().transform((text, context) => {
    const value = /^-?\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    context.addIssue({ code: "custom", message: `must be ${what}: a whole number from ${min} to ${max}` });
    return z.NEVER;
  });

export const flag = z
  .enum(["true", "false"], { error: "must be true or false" })
  .transform((text) => text === "true");

export const text = z.string().min(1, "must not be empty");

export const oneOf = <const Names extends readonly [string, ...string[]]>(names: Names) =>
  z.enum(names, { error: `must be ${names.slice(0, -1).join(", ")} or ${names.at(-1)}` });

/** One wrong setting: its variable, what it holds (nothing secret), and what is wrong with it. */
export interface ConfigMistake {
  readonly variable: string;
  readonly message: string;
}

/** The environment without empty variables, which count as not set. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** Settings, or every mistake in what they were made from. */
export type Outcome<T> = { readonly settings: T } | { readonly mistakes: readonly ConfigMistake[] };
