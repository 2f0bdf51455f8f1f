/** Of a name in an e-mail: whoever has a longer one is still known by its beginning. */
const CHARACTERS_MAX = 100;
/** Controls, line ends, and what turns or hides the text around it. */
const UNPRINTED = /[\s\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu;

/**
 * A name as it may stand in a subject and in a sentence: on one line, of a bearable length, and no link. Whoever sends
 * readings may choose the names of signals.
 */
export const plainName = (name: string): string => {
  const line = name.replaceAll(UNPRINTED, " ").trim().replaceAll("://", ": //");
  const characters = Array.from(line);
  if (characters.length === 0) return "(without a name)";
  return characters.length <= CHARACTERS_MAX ? line : `${characters.slice(0, CHARACTERS_MAX - 1).join("")}…`;
};
