import type { PlacedProblem } from "../domain/field-problems.ts";

/** The value of a variable of the environment; undefined where it is not set. */
export type LookUp = (name: string) => string | undefined;

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

interface Filled {
  readonly content: unknown;
  readonly problems: readonly PlacedProblem[];
}

/** `${NAME}` in a text is the environment's, so that secrets need not stand in the file. */
export const withVariables = (content: unknown, lookUp: LookUp): Filled => {
  const problems: PlacedProblem[] = [];
  const filled = (value: unknown, path: readonly PropertyKey[]): unknown => {
    if (typeof value === "string")
      return value.replaceAll(VARIABLE, (whole, name: string) => {
        const found = lookUp(name);
        if (found === undefined)
          problems.push({
            path,
            message: `names ${whole}, which is not set: set ${name} in the environment`,
          });
        return found ?? whole;
      });
    if (Array.isArray(value)) return value.map((one, index) => filled(one, [...path, index]));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, filled(one, [...path, key])]));
  };
  return { content: filled(content, []), problems };
};
