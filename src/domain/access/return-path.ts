const HERE = "https://here.invalid";
/** A path of ours begins with one slash: with two, or with a backslash, browsers read the name of a host. */
const OURS = /^\/(?![/\\])/;

/** Where to go after signing in: a path here, whatever was asked for. */
export const returnPath = (text: string | undefined): string => {
  if (text === undefined || !OURS.test(text)) return "/";
  const url = URL.parse(text, HERE);
  if (url === null || url.origin !== HERE) return "/";
  const path = `${url.pathname}${url.search}`;
  // Dots in a path may have hidden another slash.
  return OURS.test(path) ? path : "/";
};
