/** The lines of a text that say something. */
export const linesOf = (typed: string): string[] =>
  typed
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

/** Names and values of a text, a line each; a line without the sign between them is a name without a value. */
export const pairsOf = (typed: string, between = "="): Record<string, string> =>
  Object.fromEntries(
    linesOf(typed).map((line) => {
      const at = line.indexOf(between);
      return at < 0 ? [line, ""] : [line.slice(0, at).trim(), line.slice(at + between.length).trim()];
    }),
  );

export const pairsText = (pairs: Readonly<Record<string, string>>): string =>
  Object.entries(pairs)
    .map(([name, value]) => `${name}=${value}`)
    .join("\n");
