import { createHash, randomBytes } from "node:crypto";
import { expect } from "vitest";
import { z } from "zod";
import { OAuthClientCreated } from "../../schemas/oauth-client.ts";
import { OAUTH_PATHS } from "../../schemas/oauth-paths.ts";
import type { Api } from "./api.ts";
import type { Browser } from "./people.ts";

export const REDIRECT_URI = "https://app.example/callback";
const VERIFIER_BYTES = 32;

export const GrantedTokens = z.object({
  access_token: z.string(),
  token_type: z.literal("Bearer"),
  expires_in: z.number(),
  refresh_token: z.string().optional(),
  scope: z.string(),
});
export type GrantedTokens = z.infer<typeof GrantedTokens>;
export const Refused = z.object({ error: z.string(), error_description: z.string() });

/** A program that its account has registered. */
export type RegisteredProgram = z.infer<typeof OAuthClientCreated>;

export const registered = (api: Api, settings: object = {}): Promise<RegisteredProgram> =>
  api.expect(OAuthClientCreated, "POST", "/v1/oauth/clients", {
    name: "Wallboard <3",
    grants: ["authorization_code"],
    scopes: ["read", "write", "admin"],
    redirectUris: [REDIRECT_URI],
    ...settings,
  });

export const pkce = () => {
  const verifier = randomBytes(VERIFIER_BYTES).toString("base64url");
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
};

/** What a program says it is; null: it has no secret. */
export interface Credentials {
  readonly id: string;
  readonly clientSecret: string | null;
}

const basicOf = ({ id, clientSecret }: Credentials) =>
  clientSecret === null
    ? {}
    : { authorization: `Basic ${Buffer.from(`${id}:${clientSecret}`).toString("base64")}` };

/** As a program calls an endpoint: proving itself by its secret, if it has one. */
export const ask = async (
  url: string,
  path: string,
  program: Credentials,
  fields: Record<string, string>,
) => {
  const own = program.clientSecret === null ? { client_id: program.id } : {};
  const response = await fetch(url + path, {
    method: "POST",
    headers: basicOf(program),
    body: new URLSearchParams({ ...own, ...fields }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === "" ? null : JSON.parse(text) };
};
export type Answered = Awaited<ReturnType<typeof ask>>;

export const askTokens = (url: string, program: Credentials, fields: Record<string, string>) =>
  ask(url, OAUTH_PATHS.token, program, fields);

/** The tokens of an answer that must have been good. */
export const tokensIn = (answer: Answered): GrantedTokens => {
  expect(answer).toMatchObject({ status: 200 });
  return GrantedTokens.parse(answer.body);
};
export const refreshTokenIn = (answer: Answered): string => {
  const { refresh_token: token } = tokensIn(answer);
  if (token === undefined) throw new Error("there is no refresh token");
  return token;
};

export const authorizePath = (program: Pick<Credentials, "id">, parameters: Record<string, string>) =>
  `${OAUTH_PATHS.authorize}?${new URLSearchParams({
    client_id: program.id,
    response_type: "code",
    redirect_uri: REDIRECT_URI,
    scope: "read write",
    state: "state of the program",
    code_challenge_method: "S256",
    ...parameters,
  })}`;

const pathOf = (location: string | null): string => {
  if (location === null) throw new Error("there is no redirect");
  const { pathname, search } = new URL(location, "http://here.invalid");
  return pathname + search;
};

/** To the page of consent, as somebody who is signed in. */
export const toConsent = async (
  browser: Browser,
  program: Pick<Credentials, "id">,
  parameters: Record<string, string>,
) => {
  const begun = await browser.open(authorizePath(program, parameters));
  expect(begun.status).toBe(303);
  const path = pathOf(begun.location);
  expect(path).toMatch(/^\/oauth\/consent\//);
  return { path, page: await browser.open(path) };
};

/** Says yes or no on a page of consent; gives where the browser is sent in the end. */
export const decideOn = async (
  browser: Browser,
  path: string,
  decision: "allow" | "refuse",
): Promise<URL> => {
  const decided = await browser.send(path, { decision });
  expect(decided.status).toBe(303);
  const resumed = await browser.open(pathOf(decided.location));
  expect(resumed.status).toBe(303);
  return new URL(resumed.location ?? "");
};

/** The whole way of a person's yes: the code, and what is needed to redeem it. */
export const authorized = async (
  browser: Browser,
  program: Pick<Credentials, "id">,
  parameters: Record<string, string> = {},
) => {
  const { verifier, challenge } = pkce();
  const { path } = await toConsent(browser, program, { code_challenge: challenge, ...parameters });
  const back = await decideOn(browser, path, "allow");
  const code = back.searchParams.get("code");
  if (code === null) throw new Error(`no code in ${back}`);
  const { redirect_uri: redirectUri = REDIRECT_URI } = parameters;
  const fields = {
    grant_type: "authorization_code",
    code,
    code_verifier: verifier,
    redirect_uri: redirectUri,
  };
  return { back, fields };
};

/** The API, with a token. */
export const callWith = async (url: string, token: string, method: string, path: string, body?: object) => {
  const response = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === "" ? null : JSON.parse(text) };
};

/** As long as answers are remembered. */
export const refusedWithin5Seconds = async (asked: () => Promise<number>): Promise<void> => {
  const deadline = performance.now() + 5_000;
  let status = 200;
  while (status === 200 && performance.now() < deadline) status = await asked();
  expect(status).toBe(401);
};
