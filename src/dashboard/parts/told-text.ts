/** A moment, Unix ms, or the id of something, in what the service says; all else is text. */
export type ToldPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "moment"; readonly atMs: number }
  | { readonly kind: IdKind; readonly id: string };

const KINDS = {
  sig: "signal",
  src: "source",
  rul: "rule",
  whk: "webhook",
  sil: "silence",
} as const;
export type IdKind = (typeof KINDS)[keyof typeof KINDS];
const kindOf = new Map<string, IdKind>(Object.entries(KINDS));

const FOUND =
  /\b(?:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z|(?:sig|src|rul|whk|sil)_[0-9A-HJKMNP-TV-Z]{26})\b/;
const EVERY = new RegExp(`(${FOUND.source})`);

const partOf = (text: string): ToldPart => {
  if (!FOUND.test(text)) return { kind: "text", text };
  const kind = kindOf.get(text.slice(0, 3));
  if (kind !== undefined) return { kind, id: text };
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? { kind: "text", text } : { kind: "moment", atMs };
};

/** A sentence of the service's, which is for programs as well, in parts that a page can show as its own. */
export const toldParts = (text: string): ToldPart[] =>
  text
    .split(EVERY)
    .filter((part) => part !== "")
    .map(partOf);
