/** Parts words and lines, or says how something is drawn that is seen: neither a JSON of many lines nor an emoji is a trick. */
const DRAWN = String.raw`[\n\t]|\r\n|\p{Variation_Selector}`;
/** What nobody sees, or what moves what somebody sees: controls, marks of direction, joiners, halves of characters. */
const UNSEEN = String.raw`[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]`;
const HIDDEN = new RegExp(`(?!${DRAWN})${UNSEEN}`, "gu");

/** As JSON writes a character, by its halves where it has two. */
const escaped = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, n) => `\\u${character.charCodeAt(n).toString(16).padStart(4, "0")}`,
  ).join("");

/** A text from elsewhere, with all in it to be seen, and in the order in which it is written: `\u202e` for an override. */
export const visible = (text: string): string => text.replaceAll(HIDDEN, escaped);
