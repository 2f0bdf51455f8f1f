import type { Parameters } from "./connection.ts";

export type Condition = readonly [
  sql: string,
  name: string,
  value: string | number | readonly string[] | undefined,
];

/** Conditions and their values, for what is asked; nothing for what is not. */
export const allOf = (conditions: readonly Condition[]): { where: string; parameters: Parameters } => {
  const asked = conditions.flatMap(([sql, name, value]) =>
    value === undefined ? [] : [{ sql, name, value }],
  );
  return {
    where: asked.map(({ sql }) => sql).join(" AND "),
    parameters: Object.fromEntries(asked.map(({ name, value }) => [name, value])),
  };
};
