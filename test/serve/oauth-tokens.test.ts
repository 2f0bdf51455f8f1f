import { decodeJwt, decodeProtectedHeader } from "jose";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { ApiKeyCreated } from "../../schemas/api-key.ts";
import { AuditAnswer } from "../../schemas/audit.ts";
import { OAuthGrantsAnswer } from "../../schemas/oauth-grant.ts";
import { OAUTH_PATHS } from "../../schemas/oauth-paths.ts";
import type { Role } from "../../schemas/role.ts";
import { ACCESS_TOKEN_MS } from "../../src/domain/access/limits.ts";
import {
  ask,
  askTokens,
  authorized,
  authorizePath,
  callWith,
  pkce,
  Refused,
  refreshTokenIn,
  refusedWithin5Seconds,
  registered,
  tokensIn,
} from "../support/oauth.ts";
import { Browser } from "../support/people.ts";
import { sharedServe } from "../support/serve.ts";
import { signedInAt, somebodyOf } from "../support/signed-in.ts";
import { StreamPeer } from "../support/stream-peer.ts";

const shared = sharedServe();
const NOBODY = "ocl_01JDA2V3Q8R5T7W9Y1B3D5F7H9";
const url = () => shared.serve.url;
const signedIn = async (role: Role = "owner") => {
  const somebody = await somebodyOf(shared.engines, role);
  return { ...somebody, browser: await signedInAt(url(), somebody) };
};
const call = (token: string, method: string, path: string, body?: object) =>
  callWith(url(), token, method, path, body);

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

describe("that a grant has ended is in the logs of its account and of its person", () => {
  const endings = async (browser: Browser) => {
    const { entries } = AuditAnswer.parse((await browser.call("GET", "/v1/me/security-log")).body);
    const ended = entries.filter(
      ({ action }) => action.startsWith("oauth_grant") && action !== "oauth_grant.created",
    );
    const all = AuditAnswer.parse(
      (await shared.serve.api.call("GET", `/v1/audit-log?action=oauth_grant&target=${ended[0]?.target?.id}`))
        .body,
    );
    expect(all.entries.slice(0, -1)).toEqual(ended);
    expect(all.entries.at(-1)?.action).toBe("oauth_grant.created");
    return ended;
  };
  const begun = async (settings = {}) => {
    const program = await registered(shared.serve.api, settings);
    const { browser, person, email } = await signedIn();
    const { fields } = await authorized(browser, program);
    const noted = (action: string) => ({
      action,
      actor: { kind: "program", id: program.id, name: `Wallboard <3, for ${email}` },
      target: { name: "Wallboard <3" },
      before: { program: program.id, scopes: ["read", "write"] },
      from: { address: "127.0.0.1", userAgent: expect.any(String), requestId: expect.any(String) },
    });
    return { program, browser, person, fields, noted };
  };

  test.each(["access_token", "refresh_token"] as const)(
    "when its program gives back its %s",
    async (kind) => {
      const { program, browser, fields, noted } = await begun();
      const tokens = tokensIn(await askTokens(url(), program, fields));
      for (let n = 0; n < 2; n++)
        expect((await ask(url(), OAUTH_PATHS.revoke, program, { token: tokens[kind] ?? "" })).status).toBe(
          200,
        );
      expect(await endings(browser)).toMatchObject([noted("oauth_grant.revoked")]);
    },
  );

  test("when a code comes twice, or a refresh token", async () => {
    const byCode = await begun();
    tokensIn(await askTokens(url(), byCode.program, byCode.fields));
    for (let n = 0; n < 2; n++)
      expect((await askTokens(url(), byCode.program, byCode.fields)).status).toBe(400);
    expect(await endings(byCode.browser)).toMatchObject([byCode.noted("oauth_grant.replayed")]);
    const byToken = await begun({ confidential: false });
    const first = refreshTokenIn(await askTokens(url(), byToken.program, byToken.fields));
    const again = { grant_type: "refresh_token", refresh_token: first };
    tokensIn(await askTokens(url(), byToken.program, again));
    expect((await askTokens(url(), byToken.program, again)).status).toBe(400);
    expect(await endings(byToken.browser)).toMatchObject([byToken.noted("oauth_grant.replayed")]);
  });
});

describe("time", () => {
  /** Moves what the service takes for the present. */
  const pass = (ms: number) => vi.setSystemTime(Date.now() + ms);
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    onTestFinished(() => void vi.useRealTimers());
  });
  const MINUTE_MS = 60_000;
  const DAY_MS = 24 * 60 * MINUTE_MS;

  test("ends a code after a minute", async () => {
    const program = await registered(shared.serve.api);
    const { browser } = await signedIn();
    const [early, late] = [await authorized(browser, program), await authorized(browser, program)];
    pass(MINUTE_MS - 5_000);
    tokensIn(await askTokens(url(), program, early.fields));
    pass(5_000);
    expect((await askTokens(url(), program, late.fields)).body).toMatchObject({ error: "invalid_grant" });
  });

  test("ends an access token after ten minutes, and a refresh token after thirty days without use", async () => {
    const program = await registered(shared.serve.api);
    const { browser } = await signedIn();
    const { fields } = await authorized(browser, program);
    let answer = await askTokens(url(), program, fields);
    const asked = async () =>
      (await call(tokensIn(answer).access_token, "GET", "/v1/signals?limit=1")).status;
    expect(await asked()).toBe(200);
    pass(10 * MINUTE_MS);
    expect(await asked()).toBe(401);
    const renew = () =>
      askTokens(url(), program, { grant_type: "refresh_token", refresh_token: refreshTokenIn(answer) });
    for (let month = 0; month < 2; month++) {
      pass(30 * DAY_MS - 15 * MINUTE_MS);
      answer = await renew();
      expect(await asked()).toBe(200);
    }
    pass(30 * DAY_MS);
    expect((await renew()).body).toMatchObject({ error: "invalid_grant" });
    expect(await shared.engines.control.access.prune(Date.now(), 1_000)).toBeGreaterThan(3);
  });
});

describe("a program that acts for itself, and its streams", () => {
  test("end with the token that opened them, itself or by a ticket, and not with another", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    onTestFinished(() => void vi.useRealTimers());
    const { streamUrl } = shared.serve.api;
    const program = await registered(shared.serve.api, { grants: ["client_credentials"], redirectUris: [] });
    const issued = async () => {
      const fields = { grant_type: "client_credentials", scope: "read" };
      return tokensIn(await askTokens(url(), program, fields)).access_token;
    };
    const opened = async (token: string) => {
      const { body } = await call(token, "POST", "/v1/stream/tickets");
      return [
        await StreamPeer.open(streamUrl, token),
        await StreamPeer.open(`${streamUrl}?ticket=${body.ticket}`, null),
      ];
    };
    const first = await opened(await issued());
    vi.setSystemTime(Date.now() + ACCESS_TOKEN_MS / 2);
    const second = await opened(await issued());
    vi.setSystemTime(Date.now() + ACCESS_TOKEN_MS / 2);
    for (const stream of first) expect((await stream.closed).code).toBe(4401);
    for (const stream of second) {
      await stream.subscribe("all", { readings: { signalIds: "all" } });
      stream.end();
    }
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

  test("opens no more than its program may have now, whatever was allowed before", async () => {
    const program = await registered(shared.serve.api);
    const { browser } = await signedIn();
    const { fields } = await authorized(browser, program);
    const answer = await askTokens(url(), program, fields);
    const { access_token: token } = tokensIn(answer);
    const add = (n: number) => call(token, "POST", "/v1/signals", { name: `narrowed ${n}`, threshold: 0.2 });
    expect((await add(0)).status).toBe(201);
    const narrow = (scopes: readonly string[]) =>
      shared.serve.api.call("PATCH", `/v1/oauth/clients/${program.id}`, { scopes });
    expect((await narrow(["read"])).status).toBe(200);
    const deadline = performance.now() + 5_000;
    let status = 201;
    for (let n = 1; status === 201 && performance.now() < deadline; n++) ({ status } = await add(n));
    expect(status).toBe(403);
    expect((await call(token, "GET", "/v1/signals?limit=1")).status).toBe(200);
    const introspected = await ask(url(), OAUTH_PATHS.introspect, program, { token });
    expect(introspected.body).toMatchObject({ active: true, scope: "read" });
    const renewed = await askTokens(url(), program, {
      grant_type: "refresh_token",
      refresh_token: refreshTokenIn(answer),
    });
    expect(tokensIn(renewed).scope).toBe("read");
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
    // The last owner stays.
    await signedIn();
    await shared.engines.control.access.members.remove(shared.engines.accountId, person.id);
    for (const stream of streams) expect((await stream.closed).code).toBe(4401);
    expect((await call(key, "GET", "/v1/signals?limit=1")).status).toBe(401);
  });
});
