import { z } from "zod";
import { isLoopback } from "../domain/loopback.ts";
import type { OutsideProviderSettings } from "../domain/outside-settings.ts";
import { type ConfigMistake, oneOf, text, type Variables } from "./fields.ts";

const VARIABLE = "OIDC_PROVIDERS";
const PROVIDERS_MAX = 8;
/** In addresses, and in the names of variables. */
const ID = /^[a-z][a-z0-9-]{0,19}$/;
const SECRET = "CLIENT_SECRET";

const ids = z.string().transform((given, context) => {
  const all = given.split(",").map((one) => one.trim());
  const isSound = all.every((one) => ID.test(one)) && new Set(all).size === all.length;
  if (isSound && all.length <= PROVIDERS_MAX) return all;
  const message = `must be up to ${PROVIDERS_MAX} different names, separated by commas, each of at most 20 small letters, digits and dashes, such as google,our-house`;
  context.addIssue({ code: "custom", message });
  return z.NEVER;
});

/** The variable of outside providers; each of them has some more, with its name in theirs. */
export const outsideFields = { [VARIABLE]: ids.optional() } as const;

const issuer = z.string().transform((given, context) => {
  const url = URL.parse(given);
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname));
  const isPlain = url?.search === "" && url.hash === "" && url.username === "" && url.password === "";
  if (isSafe && isPlain) return given;
  context.addIssue({
    code: "custom",
    message: "must be the issuer's URL, such as https://accounts.example.org",
  });
  return z.NEVER;
});

const SHORT_MAX = 40;

/** Of one provider, with what comes before each: `OIDC_<NAME>_`. */
const Provider = z.object({
  ISSUER: z.string("is not set: the URL that the provider names itself by").pipe(issuer),
  CLIENT_ID: z.string("is not set: the name that the provider knows this service by"),
  [SECRET]: text.optional(),
  CLIENT_AUTH: oneOf(["basic", "post"]).optional(),
  NAME: text.max(SHORT_MAX, `must have at most ${SHORT_MAX} characters`).optional(),
});
const FIELDS = Object.keys(Provider.shape);
const SETTING = new RegExp(`^OIDC_.+_(${FIELDS.join("|")})$`);

const prefixOf = (id: string): string => `OIDC_${id.toUpperCase().replaceAll("-", "_")}_`;
const idsIn = (set: Variables): readonly string[] =>
  z.object(outsideFields).safeParse(set).data?.[VARIABLE] ?? [];

/** The secrets among the variables, each of which may stand in a file. */
export const outsideSecrets = (set: Variables): string[] => idsIn(set).map((id) => prefixOf(id) + SECRET);

/** `our-house` as people read it: Our house. */
const spoken = (id: string): string => id.charAt(0).toUpperCase() + id.slice(1).replaceAll("-", " ");

type One = { readonly settings: OutsideProviderSettings } | { readonly mistakes: readonly ConfigMistake[] };

const providerOf = (id: string, set: Variables): One => {
  const prefix = prefixOf(id);
  const given = Object.fromEntries(FIELDS.map((field) => [field, set[prefix + field]]));
  const read = Provider.safeParse(given);
  if (!read.success)
    return {
      mistakes: read.error.issues.map(({ path, message }) => ({
        variable: prefix + String(path[0]),
        message,
      })),
    };
  const { ISSUER, CLIENT_ID, CLIENT_SECRET, CLIENT_AUTH, NAME } = read.data;
  return {
    settings: {
      id,
      name: NAME ?? spoken(id),
      issuer: ISSUER,
      clientId: CLIENT_ID,
      clientSecret: CLIENT_SECRET ?? null,
      clientAuth: CLIENT_AUTH ?? null,
    },
  };
};

/** Of a provider that is not named: it was forgotten there, or meant to be off. */
const idle = (set: Variables, known: readonly string[]): ConfigMistake[] => {
  const settings = new Set(known.flatMap((id) => FIELDS.map((field) => prefixOf(id) + field)));
  const message = `has no effect: ${VARIABLE} names no such provider`;
  return Object.entries(set)
    .filter(([name, value]) => value !== undefined && SETTING.test(name) && !settings.has(name))
    .map(([variable]) => ({ variable, message }));
};

/** Whoever is vouched for by one issuer is one person: two providers of one would be two names for the same. */
const doubled = (all: readonly OutsideProviderSettings[]): ConfigMistake[] =>
  all.flatMap(({ id, issuer: url }, at) => {
    const first = all.slice(0, at).find((one) => new URL(one.issuer).href === new URL(url).href);
    if (first === undefined) return [];
    return [{ variable: `${prefixOf(id)}ISSUER`, message: `is that of ${first.id}, too` }];
  });

/** The outside providers, their secrets read. That OIDC_PROVIDERS is wrong in itself is told by the whole. */
export const readOutside = (
  set: Variables,
): { readonly outside: readonly OutsideProviderSettings[]; readonly mistakes: readonly ConfigMistake[] } => {
  const known = idsIn(set);
  const isWrong = set[VARIABLE] !== undefined && known.length === 0;
  const read = known.map((id) => providerOf(id, set));
  const outside = read.flatMap((one) => ("settings" in one ? [one.settings] : []));
  const wrong = read.flatMap((one) => ("mistakes" in one ? one.mistakes : []));
  return { outside, mistakes: [...wrong, ...doubled(outside), ...(isWrong ? [] : idle(set, known))] };
};
