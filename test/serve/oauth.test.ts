import { request as plainRequest } from "node:http";
import { text } from "node:stream/consumers";
import { decodeJwt, decodeProtectedHeader } from "jose";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { ApiKeyCreated } from "../../schemas/api-key.ts";
import { AuditAnswer } from "../../schemas/audit.ts";
import { COMMAND_LINE_CLIENT, OAuthClientsAnswer } from "../../schemas/oauth-client.ts";
import { OAuthGrantsAnswer } from "../../schemas/oauth-grant.ts";
import { OAUTH_PATHS } from "../../schemas/oauth-paths.ts";
import type { Role } from "../../schemas/role.ts";
import {
  ask,
  askTokens,
  authorized,
  authorizePath,
  decideOn,
  pkce,
  REDIRECT_URI,
  Refused,
  refreshTokenIn,
  registered,
  toConsent,
  tokensIn,
} from "../support/oauth.ts";
import { Browser } from "../support/people.ts";
import { sharedServe, startTestServe } from "../support/serve.ts";
import { PASSWORD, signedInAt, somebodyOf } from "../support/signed-in.ts";
import { StreamPeer } from "../support/stream-peer.ts";

const shared = sharedServe();
const NOBODY = "ocl_01JDA2V3Q8R5T7W9Y1B3D5F7H9";
const url = () => shared.serve.url;
const signedIn = async (role: Role = "owner") => {
  const somebody = await somebodyOf(shared.engines, role);
  return { ...somebody, browser: await signedInAt(url(), somebody) };
};
const call = async (token: string, method: string, path: string, body?: object) => {
  const response = await fetch(url() + path, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: answer === "" ? null : JSON.parse(answer),
  };
};
/** As long as answers are remembered. */
const refusedWithin5Seconds = async (asked: () => Promise<number>): Promise<void> => {
  const deadline = performance.now() + 5_000;
  let status = 200;
  while (status === 200 && performance.now() < deadline) status = await asked();
  expect(status).toBe(401);
};
/** As no browser can: with whatever headers. */
const plain = (path: string, headers: Record<string, string>): Promise<string> =>
  new Promise((resolve, reject) => {
    const sent = plainRequest(url() + path, { headers }, (answer) => text(answer).then(resolve, reject));
    sent.on("error", reject).end();
  });

describe("the metadata", () => {
  test("tells where everything is, at the configured address, whatever a request says of its host", async () => {
    const told = JSON.parse(await plain(OAUTH_PATHS.metadata, {}));
    expect(told).toEqual({
      issuer: url(),
      authorization_endpoint: `${url()}/oauth/authorize`,
      token_endpoint: `${url()}/oauth/token`,
      device_authorization_endpoint: `${url()}/oauth/device-code`,
      introspection_endpoint: `${url()}/oauth/introspect`,
      revocation_endpoint: `${url()}/oauth/revoke`,
      jwks_uri: `${url()}/oauth/jwks`,
      grant_types_supported: expect.arrayContaining([
        "authorization_code",
        "refresh_token",
        "client_credentials",
        "urn:ietf:params:oauth:grant-type:device_code",
      ]),
      response_types_supported: ["code"],
      response_modes_supported: ["query"],
      code_challenge_methods_supported: ["S256"],
      scopes_supported: ["read", "write", "admin"],
      token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post", "none"],
      authorization_response_iss_parameter_supported: true,
      request_uri_parameter_supported: false,
    });
    for (const headers of [
      { host: "evil.example" },
      { host: "evil.example", "x-forwarded-host": "evil.example", "x-forwarded-proto": "https" },
      { host: "evil.example", forwarded: "host=evil.example;proto=https" },
    ])
      expect(JSON.parse(await plain(OAUTH_PATHS.metadata, headers))).toEqual(told);
  });

  test("and a device is sent to the configured address, too", async () => {
    const device = await fetch(url() + OAUTH_PATHS.deviceCode, {
      method: "POST",
      headers: { "x-forwarded-host": "evil.example" },
      body: new URLSearchParams({ client_id: COMMAND_LINE_CLIENT, scope: "read" }),
    });
    expect(await device.json()).toMatchObject({ verification_uri: `${url()}/oauth/device` });
  });

  test("has the public half of the key alone", async () => {
    const { keys } = z
      .object({ keys: z.array(z.looseObject({})) })
      .parse(JSON.parse(await plain(OAUTH_PATHS.jwks, {})));
    expect(keys).toEqual([
      {
        kty: "EC",
        crv: "P-256",
        use: "sig",
        alg: "ES256",
        kid: expect.any(String),
        x: expect.any(String),
        y: expect.any(String),
      },
    ]);
  });
});

describe("a person", () => {
  test("is asked in plain words, after signing in, and lets a program in with a code for its tokens", async () => {
    const program = await registered(shared.serve.api);
    const { email } = await somebodyOf(shared.engines, "editor");
    const browser = new Browser(url());
    const { challenge, verifier } = pkce();
    const begun = await browser.open(
      authorizePath(program, { code_challenge: challenge, scope: "read admin" }),
    );
    const consent = begun.location ?? "";
    const signIn = await browser.open(consent);
    expect(signIn).toMatchObject({ status: 303, location: `/sign-in?next=${encodeURIComponent(consent)}` });
    const next = new URL(signIn.location ?? "", url()).searchParams.get("next") ?? "";
    expect(await browser.send("/sign-in", { email, password: PASSWORD, next })).toMatchObject({
      status: 303,
      location: consent,
    });
    const page = await browser.open(consent);
    expect(page.status).toBe(200);
    for (const words of [
      "Wallboard &#60;3",
      email,
      shared.engines.accountId,
      "see everything in the account",
      "<code>admin</code>, which your role does not allow",
      "https://app.example",
    ])
      expect(page.text).toContain(words);
    expect(page.text).not.toMatch(/<script|people and keys included/);
    expect(page.headers.get("content-security-policy")).toBe(
      "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self' https://app.example; frame-ancestors 'none'",
    );
    const back = await decideOn(browser, consent, "allow");
    expect(back.origin + back.pathname).toBe(REDIRECT_URI);
    expect(back.searchParams.get("state")).toBe("state of the program");
    expect(back.searchParams.get("iss")).toBe(url());
    const tokens = tokensIn(
      await askTokens(url(), program, {
        grant_type: "authorization_code",
        code: back.searchParams.get("code") ?? "",
        code_verifier: verifier,
        redirect_uri: REDIRECT_URI,
      }),
    );
    expect(tokens).toMatchObject({ scope: "read", expires_in: 600, refresh_token: expect.any(String) });
    expect((await call(tokens.access_token, "GET", "/v1/signals?limit=1")).status).toBe(200);
    const above = await call(tokens.access_token, "POST", "/v1/signals", { name: "a", threshold: 0.2 });
    expect([above.status, above.body.detail]).toEqual([403, "the token lacks the scope write"]);
    expect((await call(tokens.access_token, "GET", "/v1/me")).status).toBe(403);
  });

  test("who says no sends the program away with that", async () => {
    const program = await registered(shared.serve.api);
    const { browser } = await signedIn();
    const { path } = await toConsent(browser, program, { code_challenge: pkce().challenge });
    const back = await decideOn(browser, path, "refuse");
    expect(back.searchParams.get("error")).toBe("access_denied");
    expect(back.searchParams.get("state")).toBe("state of the program");
    expect(back.searchParams.has("code")).toBe(false);
    expect((await browser.open(path)).status).toBe(410);
  });

  test("answers once, in the browser in which it began, and from a page of ours alone", async () => {
    const program = await registered(shared.serve.api);
    const { browser } = await signedIn();
    const { path } = await toConsent(browser, program, { code_challenge: pkce().challenge });
    for (const from of [
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: "https://app.example" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
    ])
      expect([from, (await browser.send(path, { decision: "allow" }, from)).status]).toEqual([from, 403]);
    const without = await fetch(url() + path, {
      method: "POST",
      headers: { cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
      body: new URLSearchParams({ decision: "allow" }),
    });
    expect(without.status).toBe(403);
    const { browser: other } = await signedIn();
    expect((await other.open(path)).status).toBe(410);
    expect((await other.send(path, { decision: "allow" })).status).toBe(410);
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => browser.send(path, { decision: "allow" })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 410, 410, 410]);
  });

  test.each<[Role, string, string | null]>([
    ["owner", "read write admin", "read write admin"],
    ["owner", "admin", "admin"],
    ["editor", "read write admin", "read write"],
    ["viewer", "read write", "read"],
    ["viewer", "write", null],
    ["editor", "admin", null],
  ])("who is %s, and is asked for %s, can allow %s", async (role, scope, allowed) => {
    const program = await registered(shared.serve.api);
    const { browser } = await signedIn(role);
    if (allowed !== null) {
      const { fields } = await authorized(browser, program, { scope });
      expect(tokensIn(await askTokens(url(), program, fields)).scope).toBe(allowed);
      return;
    }
    const { path, page } = await toConsent(browser, program, { scope, code_challenge: pkce().challenge });
    expect(page.text).toContain("does not allow anything");
    expect(page.text).not.toContain('value="allow"');
    expect((await browser.send(path, { decision: "allow" })).status).toBe(403);
  });

  test("is named in the logs for letting a program in, and so is the program for what it does", async () => {
    const program = await registered(shared.serve.api);
    const { browser, person, email } = await signedIn();
    const { fields } = await authorized(browser, program);
    const { access_token: token } = tokensIn(await askTokens(url(), program, fields));
    expect((await call(token, "POST", "/v1/signals", { name: "by a program", threshold: 0.2 })).status).toBe(
      201,
    );
    const { grants } = OAuthGrantsAnswer.parse((await browser.call("GET", "/v1/me/grants")).body);
    await browser.call("DELETE", `/v1/me/grants/${grants[0]?.id}`);
    const { entries } = AuditAnswer.parse((await browser.call("GET", "/v1/me/security-log")).body);
    expect(entries.slice(0, 2)).toMatchObject([
      { action: "oauth_grant.revoked", before: { program: program.id, scopes: ["read", "write"] } },
      {
        action: "oauth_grant.created",
        actor: { kind: "person", id: person.id, name: email },
        target: { id: grants[0]?.id, name: "Wallboard <3" },
        after: { program: program.id, scopes: ["read", "write"] },
        from: { address: "127.0.0.1" },
      },
    ]);
    const log = `/v1/audit-log?actor=${program.id}`;
    const done = AuditAnswer.parse((await shared.serve.api.call("GET", log)).body);
    expect(done.entries).toMatchObject([
      {
        action: "signal.created",
        actor: { kind: "program", id: program.id, name: `Wallboard <3, for ${email}` },
      },
    ]);
  });

  test("of another account cannot let in what belongs to this one", async () => {
    const program = await registered(shared.serve.api);
    const { person, browser } = await signedIn();
    const { access } = shared.engines.control;
    await access.members.remove(shared.engines.accountId, person.id);
    const { page } = await toConsent(browser, program, { code_challenge: pkce().challenge });
    expect(page.text).toContain("You are not in the account");
  });

  test("sees whom they let in, and ends it", async () => {
    const program = await registered(shared.serve.api);
    const { browser } = await signedIn("editor");
    const { browser: other } = await signedIn();
    const { fields } = await authorized(browser, program);
    const answer = await askTokens(url(), program, fields);
    const { access_token: token } = tokensIn(answer);
    expect((await call(token, "GET", "/v1/signals?limit=1")).status).toBe(200);
    const { grants } = OAuthGrantsAnswer.parse((await browser.call("GET", "/v1/me/grants")).body);
    expect(grants).toMatchObject([
      { client: { id: program.id, name: "Wallboard <3" }, scopes: ["read", "write"] },
    ]);
    const path = `/v1/me/grants/${grants[0]?.id}`;
    expect((await other.call("DELETE", path)).status).toBe(404);
    expect((await browser.call("DELETE", path)).status).toBe(204);
    expect((await browser.call("DELETE", path)).status).toBe(404);
    const refused = await askTokens(url(), program, {
      grant_type: "refresh_token",
      refresh_token: refreshTokenIn(answer),
    });
    expect([refused.status, refused.body.error]).toEqual([400, "invalid_grant"]);
    await refusedWithin5Seconds(async () => (await call(token, "GET", "/v1/signals?limit=1")).status);
  });
});

describe("a request of a program", () => {
  /** What must never be answered by sending the browser on. */
  const shownTo = async (parameters: Record<string, string>, id?: string) => {
    const program = await registered(shared.serve.api);
    const path = authorizePath(program, { code_challenge: pkce().challenge, ...parameters });
    return new Browser(url()).open(id === undefined ? path : path.replace(program.id, id));
  };

  test.each([
    ["another path", `${REDIRECT_URI}/`],
    ["another case", "https://app.example/Callback"],
    ["a query", `${REDIRECT_URI}?a=1`],
    ["a port", "https://app.example:8443/callback"],
    ["another scheme", "http://app.example/callback"],
    ["a longer host", "https://app.example.evil.example/callback"],
    ["a name before the host", "https://app.example@evil.example/callback"],
    ["a script", "javascript:alert(1)"],
    ["dots", "https://app.example/x/../callback"],
  ])("with %s in its redirect_uri is not answered there", async (_, redirectUri) => {
    const answer = await shownTo({ redirect_uri: redirectUri });
    expect(answer).toMatchObject({ status: 400, location: null });
    expect(answer.text).toContain("invalid_redirect_uri");
    expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
  });

  test("of an unknown client, or of something that is none, is answered by one page", async () => {
    const pages = [];
    for (const id of [NOBODY, "nobody", "%00", "ocl_%F0%9F%92%A9"]) pages.push(await shownTo({}, id));
    for (const { status, location, text: body } of pages) {
      expect([status, location]).toEqual([400, null]);
      expect(body).toContain("invalid_client");
    }
    expect(new Set(pages.map(({ text: body }) => body)).size).toBe(1);
  });

  test.each([
    ["no challenge", { code_challenge: "" }, "invalid_request"],
    ["a plain challenge", { code_challenge_method: "plain" }, "invalid_request"],
    ["no method", { code_challenge_method: "" }, "invalid_request"],
    ["another response", { response_type: "token" }, "unsupported_response_type"],
    ["an id token", { response_type: "code id_token" }, "unsupported_response_type"],
    ["no scope", { scope: "" }, "invalid_scope"],
    ["a scope that nobody knows", { scope: "everything" }, "invalid_scope"],
    ["another resource", { resource: "https://elsewhere.example" }, "invalid_target"],
    ["no question allowed", { prompt: "none" }, "login_required"],
  ])("with %s is told so at its redirect_uri", async (_, parameters: Record<string, string>, error) => {
    const { status, location } = await shownTo(parameters);
    expect(status).toBe(303);
    const back = new URL(location ?? "");
    expect(back.origin + back.pathname).toBe(REDIRECT_URI);
    // What would have come in a fragment is refused there (OAuth 2.0 Multiple Response Types).
    const told = new URLSearchParams(back.hash === "" ? back.search : back.hash.slice(1));
    expect([told.get("error"), told.get("iss")]).toEqual([error, url()]);
  });

  test("for a scope beyond its own is told so", async () => {
    const program = await registered(shared.serve.api, { scopes: ["read"] });
    const path = authorizePath(program, { code_challenge: pkce().challenge, scope: "read write" });
    const { location } = await new Browser(url()).open(path);
    expect(new URL(location ?? "").searchParams.get("error")).toBe("invalid_scope");
  });

  test.each(["client_id", "redirect_uri", "scope", "state", "code_challenge", "response_type"])(
    "with two of %s is refused, and sends nobody anywhere else",
    async (name) => {
      const program = await registered(shared.serve.api);
      const path = authorizePath(program, { code_challenge: pkce().challenge });
      const second = name === "redirect_uri" ? "https://evil.example/" : "another";
      const { status, location } = await new Browser(url()).open(
        `${path}&${name}=${encodeURIComponent(second)}`,
      );
      expect(status).toBe(location === null ? 400 : 303);
      if (location !== null) {
        expect(location.startsWith(`${REDIRECT_URI}?`)).toBe(true);
        expect(new URL(location).searchParams.get("error")).toMatch(
          /^(invalid_request|unsupported_response_type)$/,
        );
      }
    },
  );

  test("wants its answer in the address, for other ways need scripts", async () => {
    for (const mode of ["form_post", "fragment", "query.jwt", "x"]) {
      const { status, text: body } = await shownTo({ response_mode: mode });
      expect([mode, status]).toEqual([mode, 400]);
      expect(body).not.toContain("<script");
    }
  });

  test("of an app on the person's own machine may come from any port of it, by http alone", async () => {
    const redirectUri = "http://127.0.0.1/callback";
    const program = await registered(shared.serve.api, { confidential: false, redirectUris: [redirectUri] });
    const { browser } = await signedIn();
    const { back, fields } = await authorized(browser, program, {
      redirect_uri: "http://127.0.0.1:51234/callback",
    });
    expect(back.host).toBe("127.0.0.1:51234");
    tokensIn(await askTokens(url(), program, fields));
    for (const other of [
      "http://127.0.0.1:51234/other",
      "https://127.0.0.1:51234/callback",
      "http://localhost/callback",
    ]) {
      const path = authorizePath(program, { code_challenge: pkce().challenge, redirect_uri: other });
      expect([other, (await browser.open(path)).status]).toEqual([other, 400]);
    }
  });
});

describe("a code", () => {
  test.each([
    ["another verifier", { code_verifier: pkce().verifier }],
    ["no verifier", { code_verifier: "" }],
    ["another redirect_uri", { redirect_uri: "https://app.example/other" }],
    ["no redirect_uri", { redirect_uri: "" }],
    ["an unknown code", { code: "A".repeat(43) }],
  ])("is redeemed with no %s", async (_, wrong: Record<string, string>) => {
    const program = await registered(shared.serve.api);
    const { browser } = await signedIn();
    const { fields } = await authorized(browser, program);
    const refused = await askTokens(url(), program, { ...fields, ...wrong });
    expect(refused.status).toBe(400);
    expect(Refused.parse(refused.body).error).toMatch(/^invalid_(grant|request)$/);
  });

  test("is redeemed by no other program, nor by one that does not prove itself", async () => {
    const [program, other] = [await registered(shared.serve.api), await registered(shared.serve.api)];
    const { browser } = await signedIn();
    const { fields } = await authorized(browser, program);
    expect((await askTokens(url(), other, fields)).body).toMatchObject({ error: "invalid_grant" });
    const unproven = [];
    for (const secret of ["wrong", program.clientSecret?.slice(1) ?? "", `${program.clientSecret}x`])
      unproven.push(await askTokens(url(), { id: program.id, clientSecret: secret }, fields));
    unproven.push(await askTokens(url(), { id: program.id, clientSecret: null }, fields));
    unproven.push(await askTokens(url(), { ...program, id: NOBODY }, fields));
    for (const { status, body } of unproven)
      expect([status, body]).toEqual([
        401,
        { error: "invalid_client", error_description: "client authentication failed" },
      ]);
    tokensIn(await askTokens(url(), program, fields));
  });

  test("that comes again ends what the first one gave", async () => {
    const program = await registered(shared.serve.api);
    const { browser } = await signedIn();
    const { fields } = await authorized(browser, program);
    const first = await askTokens(url(), program, fields);
    expect((await askTokens(url(), program, fields)).body).toMatchObject({ error: "invalid_grant" });
    const introspected = await ask(url(), OAUTH_PATHS.introspect, program, {
      token: tokensIn(first).access_token,
    });
    expect(introspected.body).toEqual({ active: false });
    expect((await call(tokensIn(first).access_token, "GET", "/v1/signals?limit=1")).status).toBe(401);
  });
});

describe("a refresh token", () => {
  test("is another one after each use, and one that comes again ends all of them", async () => {
    const program = await registered(shared.serve.api, { confidential: false });
    const { browser } = await signedIn();
    const { fields } = await authorized(browser, program);
    const renew = (token: string, more = {}) =>
      askTokens(url(), program, { grant_type: "refresh_token", refresh_token: token, ...more });
    const first = refreshTokenIn(await askTokens(url(), program, fields));
    const second = await renew(first);
    expect(refreshTokenIn(second)).not.toBe(first);
    const narrow = await renew(refreshTokenIn(second), { scope: "read" });
    expect(tokensIn(narrow).scope).toBe("read");
    expect(
      (await call(tokensIn(narrow).access_token, "POST", "/v1/signals", { name: "n", threshold: 0.2 }))
        .status,
    ).toBe(403);
    const third = await renew(refreshTokenIn(narrow));
    expect(tokensIn(third).scope).toBe("read write");
    expect((await renew(refreshTokenIn(third), { scope: "admin" })).body).toMatchObject({
      error: "invalid_scope",
    });
    expect((await renew(first)).body).toMatchObject({ error: "invalid_grant" });
    expect((await renew(refreshTokenIn(third))).body).toMatchObject({ error: "invalid_grant" });
    const { grants } = OAuthGrantsAnswer.parse((await browser.call("GET", "/v1/me/grants")).body);
    expect(grants).toEqual([]);
  });

  test("that is given back ends what was issued with it; nobody else can give it back", async () => {
    const [program, other] = [await registered(shared.serve.api), await registered(shared.serve.api)];
    const { browser } = await signedIn();
    const { fields } = await authorized(browser, program);
    const answer = await askTokens(url(), program, fields);
    const revoke = (by: typeof program) =>
      ask(url(), OAUTH_PATHS.revoke, by, { token: refreshTokenIn(answer) });
    const renewed = async () =>
      (await ask(url(), OAUTH_PATHS.introspect, program, { token: refreshTokenIn(answer) })).body.active;
    expect((await revoke(other)).status).toBe(200);
    expect(await renewed()).toBe(true);
    expect((await revoke(program)).status).toBe(200);
    expect((await revoke(program)).status).toBe(200);
    expect(await renewed()).toBe(false);
    expect((await call(tokensIn(answer).access_token, "GET", "/v1/signals?limit=1")).status).toBe(401);
  });
});

describe("a program that acts for itself", () => {
  const own = { grants: ["client_credentials"], redirectUris: [] };
  const credentials = { grant_type: "client_credentials", scope: "read" };

  test("has its own scopes in its account, and no refresh token", async () => {
    const program = await registered(shared.serve.api, { ...own, scopes: ["read", "write"] });
    const tokens = tokensIn(await askTokens(url(), program, credentials));
    expect(tokens).toMatchObject({ scope: "read", expires_in: 600 });
    expect(tokens.refresh_token).toBeUndefined();
    expect((await call(tokens.access_token, "GET", "/v1/signals?limit=1")).status).toBe(200);
    expect((await askTokens(url(), program, { ...credentials, scope: "admin" })).body.error).toBe(
      "invalid_scope",
    );
    expect((await askTokens(url(), program, { ...credentials, scope: "" })).body.error).toBe("invalid_scope");
    const removed = await shared.serve.api.call("DELETE", `/v1/oauth/clients/${program.id}`);
    expect(removed.status).toBe(204);
    expect((await askTokens(url(), program, credentials)).body.error).toBe("invalid_client");
    await refusedWithin5Seconds(
      async () => (await call(tokens.access_token, "GET", "/v1/signals?limit=1")).status,
    );
  });

  test("may send its secret in the body, or a new one, and not the one before", async () => {
    const program = await registered(shared.serve.api, own);
    const post = async (secret: string | null) =>
      (
        await fetch(url() + OAUTH_PATHS.token, {
          method: "POST",
          body: new URLSearchParams({ ...credentials, client_id: program.id, client_secret: secret ?? "" }),
        })
      ).status;
    expect(await post(program.clientSecret)).toBe(200);
    const { clientSecret } = await shared.serve.api.expect(
      z.object({ clientSecret: z.string() }),
      "POST",
      `/v1/oauth/clients/${program.id}/rotate-secret`,
    );
    expect(await post(program.clientSecret)).toBe(401);
    expect(await post(clientSecret)).toBe(200);
  });

  test("may ask for no code, nor a person's program for its own token", async () => {
    const program = await registered(shared.serve.api, own);
    const path = authorizePath(program, { code_challenge: pkce().challenge });
    expect((await new Browser(url()).open(path)).status).toBe(400);
    const persons = await registered(shared.serve.api);
    expect((await askTokens(url(), persons, credentials)).body.error).toBe("invalid_request");
    const grants = [
      { grant_type: "password", username: "a", password: "b" },
      { grant_type: "implicit" },
      { grant_type: "" },
    ];
    for (const fields of grants) {
      const { status, body } = await askTokens(url(), program, fields);
      expect([fields, status, Refused.parse(body).error]).toEqual([
        fields,
        400,
        expect.stringMatching(/^(unsupported_grant_type|invalid_request)$/),
      ]);
    }
  });

  test("that asked for JWTs gets ones that hold for ten minutes, and can be neither looked into nor revoked", async () => {
    const program = await registered(shared.serve.api, { ...own, accessTokens: "jwt" });
    const { access_token: token, expires_in: seconds } = tokensIn(
      await askTokens(url(), program, credentials),
    );
    expect(seconds).toBe(600);
    expect(decodeProtectedHeader(token)).toMatchObject({ alg: "ES256", typ: "at+jwt" });
    const claims = decodeJwt(token);
    expect(claims).toMatchObject({ iss: url(), aud: `${url()}/v1`, client_id: program.id, scope: "read" });
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(600);
    expect((await call(token, "GET", "/v1/signals?limit=1")).status).toBe(200);
    expect((await call(token, "POST", "/v1/signals", { name: "n", threshold: 0.2 })).status).toBe(403);
    for (const path of [OAUTH_PATHS.introspect, OAUTH_PATHS.revoke])
      expect((await ask(url(), path, program, { token })).body.error).toBe("unsupported_token_type");
    const [head = "", body = "", signature = ""] = token.split(".");
    const forged = Buffer.from(JSON.stringify({ ...claims, scope: "admin" })).toString("base64url");
    const none = Buffer.from(JSON.stringify({ alg: "none", typ: "at+jwt" })).toString("base64url");
    for (const fake of [
      `${head}.${forged}.${signature}`,
      `${none}.${body}.`,
      `${none}.${body}.${signature}`,
      `${head}.${body}.${"A".repeat(86)}`,
    ])
      expect((await call(fake, "GET", "/v1/signals?limit=1")).status).toBe(401);
  });
});

describe("a token of a person", () => {
  test("as JWT ends with the grant all the same", async () => {
    const program = await registered(shared.serve.api, { accessTokens: "jwt" });
    const { browser, person } = await signedIn();
    const { fields } = await authorized(browser, program);
    const { access_token: token } = tokensIn(await askTokens(url(), program, fields));
    expect(decodeJwt(token)).toMatchObject({ sub: person.id, scope: "read write" });
    const asked = async () => (await call(token, "GET", "/v1/signals?limit=1")).status;
    expect(await asked()).toBe(200);
    const { grants } = OAuthGrantsAnswer.parse((await browser.call("GET", "/v1/me/grants")).body);
    expect(grants.length).toBe(1);
    expect((await browser.call("DELETE", `/v1/me/grants/${grants[0]?.id}`)).status).toBe(204);
    await refusedWithin5Seconds(asked);
  });

  test("is looked into by its own program, and by no stranger", async () => {
    const program = await registered(shared.serve.api);
    const neighbour = await registered(shared.serve.api);
    const open = await registered(shared.serve.api, { confidential: false });
    const { browser, person } = await signedIn("viewer");
    const { fields } = await authorized(browser, program);
    const { access_token: token } = tokensIn(await askTokens(url(), program, fields));
    const look = async (by: typeof program) => (await ask(url(), OAUTH_PATHS.introspect, by, { token })).body;
    expect(await look(program)).toMatchObject({
      active: true,
      client_id: program.id,
      sub: person.id,
      scope: "read",
      token_type: "Bearer",
    });
    expect(await look(neighbour)).toMatchObject({ active: true });
    expect(await look(open)).toEqual({ active: false });
    expect((await look({ ...program, clientSecret: null })).error).toBe("invalid_client");
    expect((await ask(url(), OAUTH_PATHS.introspect, program, { token: "nothing" })).body).toEqual({
      active: false,
    });
  });

  test("makes keys that end with the person, and opens streams that end with the grant", async () => {
    const program = await registered(shared.serve.api);
    const { browser, person } = await signedIn();
    const { fields } = await authorized(browser, program, { scope: "admin" });
    const { access_token: token } = tokensIn(await askTokens(url(), program, fields));
    const made = await call(token, "POST", "/v1/api-keys", { name: "k", scopes: ["read"] });
    expect(made.status).toBe(201);
    const { key } = ApiKeyCreated.parse(made.body);
    const ticket = await call(token, "POST", "/v1/stream/tickets");
    const streams = [
      await StreamPeer.open(shared.serve.api.streamUrl, token),
      await StreamPeer.open(`${shared.serve.api.streamUrl}?ticket=${ticket.body.ticket}`, null),
    ];
    for (const stream of streams) await stream.subscribe("all", { readings: { signalIds: "all" } });
    await shared.engines.control.access.members.remove(shared.engines.accountId, person.id);
    for (const stream of streams) expect((await stream.closed).code).toBe(4401);
    expect((await call(key, "GET", "/v1/signals?limit=1")).status).toBe(401);
  });
});

describe("a registered program", () => {
  test("is shown without its secret, and its secret once", async () => {
    const program = await registered(shared.serve.api);
    expect(program.clientSecret).toMatch(/^[\w-]{43}$/);
    const listed = await shared.serve.api.expect(OAuthClientsAnswer, "GET", "/v1/oauth/clients?limit=500");
    expect(listed.clients.map(({ id }) => id)).toContain(program.id);
    const one = await shared.serve.api.call("GET", `/v1/oauth/clients/${program.id}`);
    expect([one.status, one.headers.get("etag")]).toEqual([200, '"1"']);
    expect(JSON.stringify([listed, one.body])).not.toContain(program.clientSecret);
    const open = await registered(shared.serve.api, { confidential: false });
    expect(open.clientSecret).toBeNull();
    expect((await shared.serve.api.call("POST", `/v1/oauth/clients/${open.id}/rotate-secret`)).status).toBe(
      409,
    );
  });

  test.each([
    ["http elsewhere", { redirectUris: ["http://app.example/callback"] }],
    ["https on the own machine", { redirectUris: ["https://127.0.0.1/callback"] }],
    ["a script", { redirectUris: ["javascript:alert(1)"] }],
    ["a scheme of its own", { redirectUris: ["app://callback"] }],
    ["a fragment", { redirectUris: ["https://app.example/#a"] }],
    ["a user", { redirectUris: ["https://app.example@evil.example/"] }],
    ["a backslash", { redirectUris: ["https://app.example\\@evil.example/"] }],
    ["a space", { redirectUris: ["https://app.example/a b"] }],
    ["a host in capitals", { redirectUris: ["https://APP.example/"] }],
    ["no redirect", { redirectUris: [] }],
    ["a redirect for nothing", { grants: ["device_code"] }],
    [
      "its own account without a secret",
      { grants: ["authorization_code", "client_credentials"], confidential: false },
    ],
    ["no scope", { scopes: [] }],
    ["another grant", { grants: ["password"] }],
    ["another field", { logo: "https://app.example/logo.png" }],
  ])("is refused with %s", async (_, wrong) => {
    const settings = {
      name: "n",
      grants: ["authorization_code"],
      scopes: ["read"],
      redirectUris: [REDIRECT_URI],
      ...wrong,
    };
    expect((await shared.serve.api.call("POST", "/v1/oauth/clients", settings)).status).toBe(400);
  });

  test("is made by somebody who has just said who they are, and may do everything", async () => {
    const settings = { name: "n", grants: ["client_credentials"], scopes: ["read"] };
    const { browser } = await signedIn("editor");
    expect((await browser.call("POST", "/v1/oauth/clients", settings)).status).toBe(403);
    expect((await browser.call("GET", "/v1/oauth/clients")).status).toBe(403);
    const owner = await signedIn("owner");
    expect((await owner.browser.call("POST", "/v1/oauth/clients", settings)).status).toBe(201);
  });
});

describe("what is sent to the authorization server", () => {
  test("at an address with https keeps a consent under cookies that travel by https alone", async () => {
    const publicUrl = "https://signals.example.org";
    const serve = await startTestServe(shared.engines, { publicUrl });
    onTestFinished(() => serve.stop());
    const told = await (await fetch(serve.url + OAUTH_PATHS.metadata)).json();
    expect(told).toMatchObject({ issuer: publicUrl, token_endpoint: `${publicUrl}/oauth/token` });
    const program = await registered(serve.api);
    const begun = await new Browser(serve.url).open(
      authorizePath(program, { code_challenge: pkce().challenge }),
    );
    const cookies = begun.headers.getSetCookie();
    expect(cookies.length).toBeGreaterThan(1);
    for (const cookie of cookies) expect(cookie).toMatch(/; samesite=lax; secure; httponly$/i);
  });

  test("as JSON, twice, or too much of it is refused in its own words", async () => {
    const program = await registered(shared.serve.api, { grants: ["client_credentials"], redirectUris: [] });
    const basic = Buffer.from(`${program.id}:${program.clientSecret}`).toString("base64");
    const send = async (type: string, body: string) => {
      const response = await fetch(url() + OAUTH_PATHS.token, {
        method: "POST",
        headers: { "content-type": type, authorization: `Basic ${basic}` },
        body,
      });
      return {
        status: response.status,
        headers: response.headers,
        body: Refused.parse(await response.json()),
      };
    };
    const form = "application/x-www-form-urlencoded";
    const good = "grant_type=client_credentials&scope=read";
    for (const [type, body, status] of [
      ["application/json", '{"grant_type":"client_credentials","scope":"read"}', 400],
      ["text/plain", good, 400],
      [form, `${good}&scope=write`, 400],
      [form, `${good}&grant_type=client_credentials`, 400],
      [form, `${good}&client_id=${program.id}&client_id=${program.id}`, 400],
      [form, `${good}&x=${"x".repeat(40_000)}`, 413],
      [form, "", 400],
    ] as const) {
      const answer = await send(type, body);
      expect([body.slice(0, 60), answer.status, answer.body.error]).toEqual([
        body.slice(0, 60),
        status,
        "invalid_request",
      ]);
      expect(answer.headers.get("x-request-id")).toMatch(/^req_/);
    }
    const twice = await fetch(url() + OAUTH_PATHS.token, {
      method: "POST",
      headers: { authorization: `Basic ${basic}` },
      body: new URLSearchParams({ grant_type: "client_credentials", scope: "read", client_secret: "x" }),
    });
    expect(twice.status).toBe(400);
  });

  test("is counted, as all requests are", async () => {
    const { body } = await shared.serve.api.call("GET", "/metrics");
    expect(String(body)).toMatch(
      /http_requests_total\{route="\/oauth\/token",method="POST",status="200"\} \d+/,
    );
  });
});
