import { z } from "zod";
import { Scope, Scopes } from "./api-key.ts";
import { OAuthClientId, Timestamp } from "./common.ts";

/** Under which the command line is known to every installation: it needs no registration, and has no secret. */
export const COMMAND_LINE_CLIENT = OAuthClientId.parse("ocl_0000000000000000000000000C");

export const COMMAND_LINE_NAME = "signals, the command line";

export const REDIRECT_URIS_MAX = 20;
const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);
const VISIBLE = /^[\x21-\x5b\x5d-\x7e]+$/;

/** Why browsers may not be sent there; null: they may. */
const redirectFault = (text: string): string | null => {
  const url = URL.parse(text);
  if (url === null || !VISIBLE.test(text)) return "must be an address like https://app.example/callback";
  const isLoopback = LOOPBACK.has(url.hostname);
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback))
    return "must begin with https://, or, for an app on the person's own machine, with http://127.0.0.1";
  if (url.protocol === "https:" && isLoopback)
    return "must begin with http:// where it is the person's own machine";
  if (text.includes("#")) return "must have no fragment";
  // It is compared letter by letter, so it is written as browsers write it, and names nobody.
  const isPlain = text.startsWith(url.origin) && /^([/?]|$)/.test(text.slice(url.origin.length));
  return isPlain ? null : `must begin with ${url.origin}/`;
};

export const RedirectUri = z
  .string()
  .max(2_000)
  .superRefine((text, context) => {
    const fault = redirectFault(text);
    if (fault !== null) context.addIssue({ code: "custom", message: fault });
  });

export const ClientGrant = z
  .enum(["authorization_code", "device_code", "client_credentials"])
  .describe(
    "How it comes to tokens: a person allows it in a browser (`authorization_code`, with PKCE), or types a code that it shows (`device_code`); or it acts for itself (`client_credentials`).",
  );
export type ClientGrant = z.infer<typeof ClientGrant>;

const settings = {
  name: z.string().trim().min(1).max(200).describe("As people are shown it when they are asked."),
  grants: z
    .array(ClientGrant)
    .min(1)
    .max(3)
    .transform((grants) => [...new Set(grants)]),
  scopes: Scopes.describe("The most that it may ask for."),
  redirectUris: z
    .array(RedirectUri)
    .max(REDIRECT_URIS_MAX)
    .describe(
      "Where browsers are sent back to, compared letter by letter; of `http://127.0.0.1` the port may be another (RFC 8252).",
    ),
  accessTokens: z
    .enum(["opaque", "jwt"])
    .describe(
      "`jwt`: signed (RFC 9068), for those who check them by themselves; they hold for ten minutes, and can be neither introspected nor revoked.",
    ),
};
export const OAuthClientSettings = z.strictObject({ ...settings, confidential: z.boolean() });
export type OAuthClientSettings = z.infer<typeof OAuthClientSettings>;

interface SettingsProblem {
  readonly path: "grants" | "redirectUris";
  readonly message: string;
}

/** What does not fit together in settings that are right one by one. */
export const clientProblem = ({
  grants,
  redirectUris,
  confidential,
}: Pick<OAuthClientSettings, "grants" | "redirectUris" | "confidential">): SettingsProblem | null => {
  const sendsBack = grants.includes("authorization_code");
  if (sendsBack && redirectUris.length === 0)
    return { path: "redirectUris", message: "must name where authorization_code leads back to" };
  if (!sendsBack && redirectUris.length > 0)
    return { path: "redirectUris", message: "must be empty without authorization_code" };
  if (grants.includes("client_credentials") && !confidential)
    return { path: "grants", message: "must not have client_credentials: it has no secret" };
  return null;
};

export const OAuthClientCreate = z
  .strictObject({
    ...settings,
    redirectUris: settings.redirectUris.default([]),
    accessTokens: settings.accessTokens.default("opaque"),
    confidential: z
      .boolean()
      .default(true)
      .describe("Whether it can keep a secret: a server can, an app on people's machines cannot."),
  })
  .superRefine((client, context) => {
    const problem = clientProblem(client);
    if (problem !== null)
      context.addIssue({ code: "custom", path: [problem.path], message: problem.message });
  });
export type OAuthClientCreate = z.infer<typeof OAuthClientCreate>;

export const OAuthClientPatch = z.strictObject(settings).partial();
export type OAuthClientPatch = z.infer<typeof OAuthClientPatch>;

const shown = {
  id: OAuthClientId.describe("Its `client_id`."),
  name: z.string(),
  grants: z.array(ClientGrant),
  scopes: z.array(Scope),
  redirectUris: z.array(z.string()),
  accessTokens: settings.accessTokens,
  confidential: z.boolean(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
};

/** A program that people may let in, or that acts for the account. */
export const OAuthClient = z.strictObject(shown);
export type OAuthClient = z.infer<typeof OAuthClient>;

const clientSecret = z.string().describe("Its `client_secret`. Shown only now: keep it.");
/** Null: it has none. */
export const OAuthClientCreated = z.strictObject({ ...shown, clientSecret: clientSecret.nullable() });
export const OAuthClientSecret = z.strictObject({ clientSecret });
export const OAuthClientsAnswer = z.strictObject({
  clients: z.array(OAuthClient),
  nextCursor: z.string().nullable(),
});
