/** Where a value is in a message: names of objects and places in arrays, from the outside in. */
export type Place = readonly (string | number)[];

/** What a value stands for. */
export type Part = "signal" | "strength" | "at";
export type Parts = Readonly<Partial<Record<Part, Place>>>;

/** RFC 9535: a name that needs no quotes. */
const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

const segment = (one: string | number): string => {
  if (typeof one === "number") return `[${one}]`;
  return PLAIN_NAME.test(one) ? `.${one}` : `['${one.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}']`;
};
/** A JSONPath to a place, from `root`. */
export const pathText = (root: "$" | "$$", place: Place): string => root + place.map(segment).join("");

/** The list that the strength is in, if it is in one: the innermost, as there is one strength for each of its elements. */
const listOf = (strength: Place): Place | null => {
  const at = strength.findLastIndex((one) => typeof one === "number");
  return at < 0 ? null : strength.slice(0, at);
};

const startsWith = (place: Place, start: Place): boolean => start.every((one, n) => place[n] === one);

/** Paths of a mapping by values that somebody pointed at; null while signal or strength is missing. */
export const pathsOf = ({ signal, strength, at }: Parts) => {
  if (signal === undefined || strength === undefined) return null;
  const list = listOf(strength);
  const element = list === null ? [] : strength.slice(0, list.length + 1);
  // What is beside the list is the same for all of its elements.
  const relative = (place: Place): string =>
    startsWith(place, element) ? pathText("$", place.slice(element.length)) : pathText("$$", place);
  return {
    ...(list === null ? {} : { each: `${pathText("$", list)}[*]` }),
    signal: relative(signal),
    strength: relative(strength),
    ...(at === undefined ? {} : { at: relative(at) }),
  };
};
