import { createHmac } from "node:crypto";
import type { ServerResponse } from "node:http";
import { generateKeyPair, SignJWT } from "jose";
import { describe, expect, it } from "vitest";
import { openIdProviders } from "../../../src/adapters/openid/providers.ts";
import { systemClock, systemEntropy } from "../../../src/adapters/system/clock.ts";
import { TOKEN_BYTES, tokenOf } from "../../../src/domain/access/secret-token.ts";
import type { OutsideProviderSettings } from "../../../src/domain/outside-settings.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import type { OutsideCheck } from "../../../src/ports/outside-providers.ts";
import { ManualClock } from "../../support/clock.ts";
import { type Misdeeds, startIssuer, type TestIssuer } from "../../support/issuer.ts";
import { testTelemetry } from "../../support/telemetry.ts";

/** Of a provider that says nothing; long enough for one that does, on a machine that has much to do. */
const TIMEOUT_MS = 2_000;
const random = (): string => tokenOf(systemEntropy.bytes(TOKEN_BYTES));
const newCheck = (): OutsideCheck => ({
  state: random(),
  nonce: random(),
  verifier: random(),
  redirectUri: "http://127.0.0.1:1/sign-in/with/elsewhere/callback",
});
const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString("base64url");

const openAt = (settings: readonly OutsideProviderSettings[], clock: Clock = systemClock) =>
  openIdProviders(settings, { clock, telemetry: testTelemetry() }, TIMEOUT_MS);

/** The whole way of somebody who says yes; null: there was nowhere to go. */
const wholeWay = async (
  issuer: TestIssuer,
  {
    settings = issuer.settings(),
    since = null,
    isFresh = false,
  }: {
    settings?: OutsideProviderSettings;
    since?: number | null;
    isFresh?: boolean;
  } = {},
) => {
  const providers = openAt([settings]);
  const check = newCheck();
  const address = await providers.addressOf(settings.id, check, isFresh);
  if (address === null) return null;
  const back = new URL(await issuer.approve(address));
  return providers.answer(settings.id, back.search, check, since);
};

describe("an outside provider", () => {
  it("vouches for who is signed in there, and is asked for nothing more", async () => {
    const issuer = await startIssuer();
    const check = newCheck();
    const providers = openAt([issuer.settings()]);
    expect(providers.all).toEqual([{ id: "elsewhere", name: "Elsewhere", issuer: issuer.url }]);
    const address = new URL((await providers.addressOf("elsewhere", check, false)) ?? "");
    expect(Object.fromEntries(address.searchParams)).toEqual({
      client_id: "signals",
      response_type: "code",
      redirect_uri: check.redirectUri,
      scope: "openid",
      state: check.state,
      nonce: check.nonce,
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: "S256",
    });
    const { search } = new URL(await issuer.approve(address.href));
    expect(await providers.answer("elsewhere", search, check, null)).toEqual({
      state: "vouched",
      identity: { issuer: issuer.url, subject: "jane-there" },
    });
    // The code was redeemed.
    expect(await providers.answer("elsewhere", search, check, null)).toEqual({ state: "refused" });
  });

  it.each([
    ["as its metadata says: in the header", null, undefined],
    ["as its metadata says: in the body", null, ["client_secret_post"]],
    ["as the settings say", "post" as const, undefined],
  ])("is told who asks %s", async (_, clientAuth, methods) => {
    const issuer = await startIssuer();
    issuer.misdeeds = {
      metadata: (right) => ({ ...right, token_endpoint_auth_methods_supported: methods }),
    };
    const settings = issuer.settings("elsewhere", { clientAuth });
    expect(await wholeWay(issuer, { settings })).toMatchObject({ state: "vouched" });
  });

  it("that does not take our secret vouches for nobody", async () => {
    const issuer = await startIssuer();
    const settings = issuer.settings("elsewhere", { clientSecret: "another" });
    expect(await wholeWay(issuer, { settings })).toEqual({ state: "unavailable" });
  });

  const others: readonly (readonly [string, Misdeeds])[] = [
    ["another issuer", { claims: (right) => ({ ...right, iss: "https://evil.example" }) }],
    ["another audience", { claims: (right) => ({ ...right, aud: "somebody-else" }) }],
    ["another nonce", { claims: (right) => ({ ...right, nonce: random() }) }],
    ["no nonce", { claims: ({ nonce: _, ...rest }) => rest }],
    ["no subject", { claims: ({ sub: _, ...rest }) => rest }],
    ["an empty subject", { claims: (right) => ({ ...right, sub: "" }) }],
    ["a subject with a NUL", { claims: (right) => ({ ...right, sub: "jane\0" }) }],
    ["a subject without end", { claims: (right) => ({ ...right, sub: "j".repeat(256) }) }],
    ["a time that is over", { claims: (right) => ({ ...right, exp: (right.iat ?? 0) - 60 }) }],
    ["another's audience beside ours", { claims: (right) => ({ ...right, aud: ["signals", "other"] }) }],
    ["no signature", { token: (_right, claims) => `${encoded({ alg: "none" })}.${encoded(claims)}.` }],
    [
      "a signature by our secret",
      {
        token: (_right, claims) => {
          const signed = `${encoded({ alg: "HS256" })}.${encoded(claims)}`;
          return `${signed}.${createHmac("sha256", "a secret: with=everything & ümlauts").update(signed).digest("base64url")}`;
        },
      },
    ],
    [
      "a signature by another key",
      {
        token: async (_right, claims) => {
          const { privateKey } = await generateKeyPair("ES256");
          return new SignJWT(claims).setProtectedHeader({ alg: "ES256", kid: "1" }).sign(privateKey);
        },
      },
    ],
    ["a changed content", { token: (right) => right.replace(/\.[^.]+\./, `.${encoded({ sub: "olga" })}.`) }],
    ["no token", { token: () => "" }],
    ["no token but words", { token: () => "a.b.c" }],
  ];
  it.each(others)("is not believed a token with %s", async (_, misdeeds) => {
    const issuer = await startIssuer();
    issuer.misdeeds = misdeeds;
    expect(await wholeWay(issuer)).toEqual({ state: "refused" });
  });

  it("is not believed a token without signature even where it says that it makes such", async () => {
    const issuer = await startIssuer();
    issuer.misdeeds = {
      metadata: (right) => ({ ...right, id_token_signing_alg_values_supported: ["none", "HS256"] }),
      token: (_right, claims) => `${encoded({ alg: "none" })}.${encoded(claims)}.`,
    };
    expect(await wholeWay(issuer)).toEqual({ state: "refused" });
  });

  const withParameter = (name: string, value: string | null) => (right: URL) => {
    if (value === null) right.searchParams.delete(name);
    else right.searchParams.set(name, value);
    return right;
  };
  it.each([
    ["of another issuer", withParameter("iss", "https://evil.example"), "refused"],
    ["that leaves out the issuer, as it said that it would not", withParameter("iss", null), "refused"],
    ["with another state", withParameter("state", random()), "refused"],
    ["without a state", withParameter("state", null), "refused"],
    ["without a code", withParameter("code", null), "refused"],
    ["with another's code", withParameter("code", "code-7"), "refused"],
    ["with two codes", (right: URL) => new URL(`${right.href}&code=code-7`), "refused"],
    ["that says no", withParameter("error", "access_denied"), "declined"],
    ["that says that it is broken", withParameter("error", "server_error"), "unavailable"],
  ])("is not believed an answer %s", async (_, back, state) => {
    const issuer = await startIssuer();
    issuer.misdeeds = { back };
    expect(await wholeWay(issuer)).toEqual({ state });
  });

  it("has to see the person sign in anew where that is asked for", async () => {
    const issuer = await startIssuer();
    const since = Date.now() - 5_000;
    expect(await wholeWay(issuer, { since, isFresh: true })).toMatchObject({ state: "vouched" });
    // One that goes by an old sign-in all the same, or does not say.
    issuer.misdeeds = { claims: (right) => ({ ...right, auth_time: Math.floor(Date.now() / 1_000) - 60 }) };
    expect(await wholeWay(issuer, { since, isFresh: true })).toEqual({ state: "refused" });
    issuer.misdeeds = { claims: ({ auth_time: _, ...rest }) => rest };
    expect(await wholeWay(issuer, { since, isFresh: true })).toEqual({ state: "refused" });
    expect(await wholeWay(issuer)).toMatchObject({ state: "vouched" });
  });
});

const answering =
  (status: number, type: string, body: string, headers: Record<string, string> = {}) =>
  (response: ServerResponse) => {
    response.writeHead(status, { "content-type": type, ...headers }).end(body);
  };
const nonsense: readonly (readonly [string, (response: ServerResponse) => void])[] = [
  ["nothing", () => undefined],
  ["a page", answering(200, "text/html", "<!doctype html>")],
  ["no JSON", answering(200, "application/json", "{")],
  ["a list", answering(200, "application/json", "[]")],
  ["null", answering(200, "application/json", "null")],
  ["another status", answering(500, "application/json", "{}")],
  ["no content", answering(204, "application/json", "")],
  ["a way elsewhere", answering(302, "text/plain", "", { location: "http://127.0.0.1:1/" })],
  ["megabytes", answering(200, "application/json", `{"issuer":"${"x".repeat(1_000_000)}"}`)],
  [
    "words without end",
    (response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const more = () => {
        while (!response.destroyed && response.write(" ".repeat(64 * 1024)));
      };
      response.on("drain", more);
      more();
    },
  ],
  ["a torn connection", (response) => response.destroy()],
];

describe("an outside provider that answers", () => {
  it.each(nonsense)("%s when it is asked what it is, is unavailable", async (_, answer) => {
    const issuer = await startIssuer();
    issuer.misdeeds = {
      intercept: (path, response) => {
        if (!path.startsWith("/.well-known")) return false;
        answer(response);
        return true;
      },
    };
    expect(await wholeWay(issuer)).toBeNull();
  });

  it.each(nonsense)(
    "%s when it is asked for a token or for its keys, vouches for nobody",
    async (_, answer) => {
      for (const at of ["/token", "/jwks"]) {
        const issuer = await startIssuer();
        issuer.misdeeds = {
          intercept: (path, response) => {
            if (path !== at) return false;
            answer(response);
            return true;
          },
        };
        expect([at, (await wholeWay(issuer))?.state]).toEqual([
          at,
          expect.stringMatching(/^(unavailable|refused)$/),
        ]);
      }
    },
  );

  it.each([
    ["is another one", (right: Record<string, unknown>) => ({ ...right, issuer: "https://evil.example" })],
    ["has no issuer", ({ issuer: _, ...rest }: Record<string, unknown>) => rest],
    ["has no address for people", ({ authorization_endpoint: _, ...rest }: Record<string, unknown>) => rest],
    [
      "has an address for people that is none",
      (right: Record<string, unknown>) => ({ ...right, authorization_endpoint: "javascript:alert(1)" }),
    ],
  ])("that it %s is unavailable", async (_, metadata) => {
    const issuer = await startIssuer();
    issuer.misdeeds = { metadata };
    expect(await wholeWay(issuer)).toBeNull();
  });

  it.each(["http://192.0.2.1/token", "ftp://127.0.0.1/token", 7, null])(
    "that tokens are at %s is asked for none",
    async (token_endpoint) => {
      const issuer = await startIssuer();
      issuer.misdeeds = { metadata: (right) => ({ ...right, token_endpoint }) };
      expect(await wholeWay(issuer)).toEqual({ state: "unavailable" });
    },
  );
});

describe("outside providers", () => {
  it("are not asked before somebody goes there, and then once, however many go", async () => {
    const issuer = await startIssuer();
    const providers = openAt([issuer.settings()]);
    expect(issuer.asked).toEqual([]);
    await Promise.all([1, 2, 3].map(() => providers.addressOf("elsewhere", newCheck(), false)));
    await providers.addressOf("elsewhere", newCheck(), false);
    expect(issuer.asked).toEqual(["/.well-known/openid-configuration"]);
  });

  it("that were down are asked again a moment later, and one that was known counts as it was", async () => {
    const clock = new ManualClock();
    const issuer = await startIssuer();
    await issuer.stop();
    const providers = openAt([issuer.settings()], clock);
    const address = () => providers.addressOf("elsewhere", newCheck(), false);
    expect(await address()).toBeNull();
    await issuer.start();
    expect(await address()).toBeNull();
    clock.advance(2_000);
    expect(await address()).not.toBeNull();
    await issuer.stop();
    clock.advance(3_600_000);
    expect(await address()).not.toBeNull();
    expect(await address()).not.toBeNull();
    await issuer.start();
    issuer.misdeeds = {
      metadata: (right) => ({ ...right, authorization_endpoint: `${issuer.url}/moved` }),
    };
    clock.advance(2_000);
    expect(await address()).toContain("/moved?");
  });
});
