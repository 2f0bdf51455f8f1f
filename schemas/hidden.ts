/** Shown in place of a secret. */
export const HIDDEN = "***" as const;

/** What stands alone, or before nothing but `=`, as base64 ends, is no name but the key itself. */
const hiddenParameter = (text: string): string => {
  const [, name] = /^([^=]+)=+[^=]/.exec(text) ?? [];
  return name === undefined ? HIDDEN : `${name}=${HIDDEN}`;
};

/** An address as answers show it. Keys in one are common: what its query says is shown by name only. */
export const withHiddenQuery = (text: string): string => {
  const url = new URL(text);
  if (url.search === "") return text;
  const parameters = url.search.slice(1).split("&").filter(Boolean);
  url.search = [...new Set(parameters.map(hiddenParameter))].join("&");
  return url.href;
};

/** Whether an address holds the mask of a secret, as one that was shown does. */
export const hasHiddenQuery = (text: string): boolean =>
  [...new URL(text).searchParams].some((parameter) => parameter.includes(HIDDEN));
