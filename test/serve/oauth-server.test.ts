import { request as plainRequest } from "node:http";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { COMMAND_LINE_CLIENT, OAuthClientsAnswer } from "../../schemas/oauth-client.ts";
import { OAUTH_PATHS } from "../../schemas/oauth-paths.ts";
import type { Role } from "../../schemas/role.ts";
import { authorizePath, pkce, REDIRECT_URI, Refused, registered } from "../support/oauth.ts";
import { Browser } from "../support/people.ts";
import { sharedServe, startTestServe } from "../support/serve.ts";
import { signedInAt, somebodyOf } from "../support/signed-in.ts";

const shared = sharedServe();
const url = () => shared.serve.url;
const signedIn = async (role: Role = "owner") => {
  const somebody = await somebodyOf(shared.engines, role);
  return { ...somebody, browser: await signedInAt(url(), somebody) };
};
/** As no browser can: with whatever headers. */
const plain = (path: string, headers: Record<string, string>, body?: URLSearchParams): Promise<string> =>
  new Promise((resolve, reject) => {
    const form = body === undefined ? {} : { "content-type": "application/x-www-form-urlencoded" };
    const options = { method: body === undefined ? "GET" : "POST", headers: { ...form, ...headers } };
    const sent = plainRequest(url() + path, options, (answer) => text(answer).then(resolve, reject));
    sent.on("error", reject).end(body?.toString());
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
    const fields = new URLSearchParams({ client_id: COMMAND_LINE_CLIENT, scope: "read" });
    const headers = { host: "evil.example", "x-forwarded-host": "evil.example" };
    const device: unknown = JSON.parse(await plain(OAUTH_PATHS.deviceCode, headers, fields));
    expect(device).toMatchObject({ verification_uri: `${url()}/oauth/device` });
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

  test("is one of so many from one place, where requests are limited", async () => {
    const serve = await startTestServe(shared.engines, { rateLimit: { requests: 3, seconds: 60 } });
    onTestFinished(() => serve.stop());
    const answers = [];
    for (let n = 0; n < 4; n++) answers.push(await fetch(serve.url + OAUTH_PATHS.metadata));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    expect(answers[0]?.headers.get("ratelimit")).toMatch(/^"network";r=2;t=\d+$/);
    const refused = answers.at(-1);
    expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await refused?.json()).toMatchObject({ error: "temporarily_unavailable" });
  });

  test("is counted, as all requests are", async () => {
    const { body } = await shared.serve.api.call("GET", "/metrics");
    expect(String(body)).toMatch(
      /http_requests_total\{route="\/oauth\/token",method="POST",status="400"\} \d+/,
    );
  });
});
