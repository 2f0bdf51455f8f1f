import { describe, expect, onTestFinished, test, vi } from "vitest";
import { AuditAnswer } from "../../schemas/audit.ts";
import { OAuthGrantsAnswer } from "../../schemas/oauth-grant.ts";
import type { Role } from "../../schemas/role.ts";
import { SUDO_MS } from "../../src/domain/access/limits.ts";
import {
  askTokens,
  authorized,
  authorizePath,
  callWith,
  decideOn,
  pkce,
  REDIRECT_URI,
  refreshTokenIn,
  refusedWithin5Seconds,
  registered,
  toConsent,
  tokensIn,
} from "../support/oauth.ts";
import { Browser } from "../support/people.ts";
import { sharedServe } from "../support/serve.ts";
import { PASSWORD, signedInAt, somebodyOf } from "../support/signed-in.ts";

const shared = sharedServe();
const NOBODY = "ocl_01JDA2V3Q8R5T7W9Y1B3D5F7H9";
const url = () => shared.serve.url;
const signedIn = async (role: Role = "owner") => {
  const somebody = await somebodyOf(shared.engines, role);
  return { ...somebody, browser: await signedInAt(url(), somebody) };
};
const call = (token: string, method: string, path: string, body?: object) =>
  callWith(url(), token, method, path, body);

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
    // Who is signed in is known by our own cookie alone.
    expect([...browser.cookies.keys()].filter((name) => !name.startsWith("_interaction"))).toEqual([
      "session",
    ]);
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

  test("who signed in long ago says once more who they are before they let a program in, and not to refuse", async () => {
    const program = await registered(shared.serve.api);
    const { browser, email } = await signedIn();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + SUDO_MS });
    onTestFinished(() => void vi.useRealTimers());
    const { path, page } = await toConsent(browser, program, { code_challenge: pkce().challenge });
    expect(page.status).toBe(200);
    const prove = `/prove?next=${encodeURIComponent(path)}`;
    expect(await browser.send(path, { decision: "allow" })).toMatchObject({ status: 303, location: prove });
    expect((await browser.open(prove)).text).toContain("Say once more who you are");
    expect((await browser.send("/prove", { password: "not it at all", next: path })).status).toBe(401);
    expect((await browser.send(path, { decision: "allow" })).location).toBe(prove);
    const proven = await browser.send("/prove", { password: PASSWORD, next: path });
    expect([proven.status, proven.location]).toEqual([303, path]);
    expect((await browser.open(path)).text).toContain(email);
    expect((await decideOn(browser, path, "allow")).searchParams.has("code")).toBe(true);
    vi.setSystemTime(Date.now() + SUDO_MS);
    const { path: other } = await toConsent(browser, program, { code_challenge: pkce().challenge });
    expect((await decideOn(browser, other, "refuse")).searchParams.get("error")).toBe("access_denied");
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
    const { person, email } = await signedIn();
    const { access } = shared.engines.control;
    await access.members.remove(shared.engines.accountId, person.id);
    // Signed in to none: with the account they lost the session that was in it.
    const browser = await signedInAt(url(), { email });
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
