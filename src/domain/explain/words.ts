/** A number of a sentence: at most four decimals. */
export const shownNumber = (value: number): string => String(Number(value.toFixed(4)) + 0).replace("-", "−");

export const shownTime = (ms: number): string => new Date(ms).toISOString();

export const shownSeconds = (ms: number): string => `${shownNumber(ms / 1000)} s`;

/** `a`, `a and b`, `a, b and c`. */
export const listed = (words: readonly string[]): string =>
  words.length < 2 ? (words[0] ?? "") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
