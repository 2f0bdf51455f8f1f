import { describe, expect, test } from "vitest";
import { ApiKeyCreated } from "../../schemas/api-key.ts";
import { COMMAND_LINE_CLIENT, OAuthClientCreated, OAuthClientSecret } from "../../schemas/oauth-client.ts";
import { OAuthGrantsAnswer } from "../../schemas/oauth-grant.ts";
import { OAUTH_PATHS } from "../../schemas/oauth-paths.ts";
import type { Role } from "../../schemas/role.ts";
import {
  type Answered,
  ask,
  askTokens,
  authorized,
  callWith,
  refreshTokenIn,
  refusedWithin5Seconds,
  registered,
  tokensIn,
} from "../support/oauth.ts";
import { asked, postgresUrl, schemaOf } from "../support/postgres.ts";
import { signedInAt, somebodyOf } from "../support/signed-in.ts";
import { StreamPeer } from "../support/stream-peer.ts";
import { PUBLIC_URL, twoServes } from "../support/two-serves.ts";

const two = twoServes(await postgresUrl());
const COMMAND_LINE = { id: COMMAND_LINE_CLIENT, clientSecret: null };
const WAIT_MS = 60_000;

const urls = (): readonly string[] => two.both.map(({ url }) => url);
const [first, second] = [() => two.both[0].url, () => two.both[1].url];
const signedIn = async (role: Role = "owner") => {
  const somebody = await somebodyOf(two.engines, role);
  return { ...somebody, browser: await signedInAt(first(), somebody) };
};
/** Six times, at both in turn, at the same time. */
const sixTimes = (act: (url: string) => Promise<Answered>): Promise<Answered[]> =>
  Promise.all([...urls(), ...urls(), ...urls()].map(act));
const oneOf = (answers: readonly Answered[]): Answered => {
  const [good, ...more] = answers.filter(({ status }) => status === 200);
  if (good === undefined || more.length > 0)
    throw new Error(`${more.length} too many: ${answers.map(({ status }) => status)}`);
  for (const { status, body } of answers)
    if (status !== 200) expect([status, body.error]).toEqual([400, "invalid_grant"]);
  return good;
};
const statusAt = async (url: string, token: string): Promise<number> =>
  (await fetch(`${url}/v1/signals?limit=1`, { headers: { authorization: `Bearer ${token}` } })).status;
const begun = async () => {
  const { body } = await ask(first(), OAUTH_PATHS.deviceCode, COMMAND_LINE, { scope: "read write" });
  const fields = {
    grant_type: "urn:ietf:params:oauth:grant-type:device_code",
    device_code: String(body.device_code),
  };
  return { userCode: String(body.user_code), fields };
};

describe("of those who redeem it at the same time, at two processes, exactly one gets tokens for", () => {
  test("a code", async () => {
    const program = await registered(two.both[0].api);
    const { browser } = await signedIn();
    for (let n = 0; n < 3; n++) {
      const { fields } = await authorized(browser, program);
      // What it gave holds only until one of the others is seen to have come later.
      tokensIn(oneOf(await sixTimes((url) => askTokens(url, program, fields))));
      const again = await askTokens(second(), program, fields);
      expect(again.body).toMatchObject({ error: "invalid_grant" });
    }
  });

  test("a refresh token", async () => {
    const program = await registered(two.both[0].api);
    const { browser } = await signedIn();
    const granted = async () => {
      const { fields } = await authorized(browser, program);
      return refreshTokenIn(await askTokens(first(), program, fields));
    };
    const renew = (refreshToken: string) => (url: string) =>
      askTokens(url, program, { grant_type: "refresh_token", refresh_token: refreshToken });
    for (let n = 0; n < 3; n++) tokensIn(oneOf(await sixTimes(renew(await granted()))));
    const token = await granted();
    const newest = await renew(token)(second());
    expect(await statusAt(first(), tokensIn(newest).access_token)).toBe(200);
    expect((await renew(token)(first())).body).toMatchObject({ error: "invalid_grant" });
    expect((await renew(refreshTokenIn(newest))(second())).body).toMatchObject({ error: "invalid_grant" });
    expect(await statusAt(second(), tokensIn(newest).access_token)).toBe(401);
  });

  test("a device code, which one person decides on", async () => {
    const { browser } = await signedIn();
    const { browser: other } = await signedIn();
    const device = await begun();
    const decisions = await Promise.all(
      [browser, other, browser, other].map((one) =>
        one.send(`${OAUTH_PATHS.device}/decision`, { user_code: device.userCode, decision: "allow" }),
      ),
    );
    expect(decisions.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400]);
    const answers = await sixTimes((url) => askTokens(url, COMMAND_LINE, device.fields));
    tokensIn(oneOf(answers));
    expect((await askTokens(second(), COMMAND_LINE, device.fields)).body).toMatchObject({
      error: "invalid_grant",
    });
  });
});

test("what one process signs the other believes, and a consent goes on at the other", async () => {
  const program = await registered(two.both[0].api, { accessTokens: "jwt" });
  const { browser } = await signedIn();
  const { fields } = await authorized(browser, program);
  const { access_token: token } = tokensIn(await askTokens(second(), program, fields));
  expect([await statusAt(first(), token), await statusAt(second(), token)]).toEqual([200, 200]);
  const told = await Promise.all(urls().map(async (url) => (await fetch(url + OAUTH_PATHS.jwks)).text()));
  expect(new Set(told).size).toBe(1);
  const metadata = await (await fetch(second() + OAUTH_PATHS.metadata)).json();
  expect(metadata).toMatchObject({ issuer: PUBLIC_URL, token_endpoint: `${PUBLIC_URL}/oauth/token` });
});

test(
  "whoever was suspended is let in by no grant from before, at no process, within five seconds",
  async () => {
    const owner = await signedIn();
    const editor = await signedIn("editor");
    const opaque = await registered(two.both[0].api);
    const jwt = await registered(two.both[0].api, { accessTokens: "jwt" });
    const answers = [];
    for (const program of [opaque, jwt]) {
      const { fields } = await authorized(editor.browser, program);
      answers.push(await askTokens(first(), program, fields));
    }
    const tokens = answers.map((answer) => tokensIn(answer).access_token);
    const everywhere = () =>
      Promise.all(urls().flatMap((url) => tokens.map((token) => statusAt(url, token))));
    expect(await everywhere()).toEqual([200, 200, 200, 200]);
    const member = `/v1/members/${editor.person.id}`;
    const from = performance.now();
    expect((await owner.browser.call("PATCH", member, { suspended: true })).status).toBe(200);
    let statuses = [200];
    while (statuses.includes(200) && performance.now() - from < 5_000) statuses = await everywhere();
    expect(statuses).toEqual([401, 401, 401, 401]);
    const [kept] = answers;
    if (kept === undefined) throw new Error("there is no answer");
    const refresh = { grant_type: "refresh_token", refresh_token: refreshTokenIn(kept) };
    expect((await askTokens(second(), opaque, refresh)).body).toMatchObject({ error: "invalid_grant" });
    const introspected = await ask(second(), OAUTH_PATHS.introspect, opaque, { token: tokens[0] ?? "" });
    expect(introspected.body).toEqual({ active: false });
    const lowered = { suspended: false, role: "viewer" };
    expect((await owner.browser.call("PATCH", member, lowered)).status).toBe(200);
    expect((await askTokens(second(), opaque, refresh)).body).toMatchObject({ error: "invalid_grant" });
    expect(await everywhere()).toEqual([401, 401, 401, 401]);
    const browser = await signedInAt(second(), editor);
    const { fields } = await authorized(browser, opaque, { scope: "read write" });
    const again = tokensIn(await askTokens(second(), opaque, fields));
    expect(await statusAt(first(), again.access_token)).toBe(200);
    const change = await fetch(`${first()}/v1/signals`, {
      method: "POST",
      headers: { authorization: `Bearer ${again.access_token}`, "content-type": "application/json" },
      body: '{"name":"a","threshold":0.2}',
    });
    expect(change.status).toBe(403);
  },
  WAIT_MS,
);

describe("a program that acts for itself", () => {
  const credentials = (scope: string) => ({ grant_type: "client_credentials", scope });
  const registeredBy = async ({ browser }: Awaited<ReturnType<typeof signedIn>>, settings = {}) => {
    const asked = {
      name: "Way back",
      grants: ["client_credentials"],
      scopes: ["admin"],
      redirectUris: [],
      ...settings,
    };
    const { body } = await browser.call("POST", "/v1/oauth/clients", asked);
    return OAuthClientCreated.parse(body);
  };
  const everywhere = (tokens: readonly string[]) =>
    Promise.all(urls().flatMap((url) => tokens.map((token) => statusAt(url, token))));
  /** What is refused is asked no more: how often somebody may ask with what is unknown is bounded. */
  const refusedEverywhere = (tokens: readonly string[]) =>
    Promise.all(
      urls().flatMap((url) => tokens.map((token) => refusedWithin5Seconds(() => statusAt(url, token)))),
    );

  test(
    "is no way back for an owner who registered it and is suspended, nor are the keys that it made",
    async () => {
      const [owner, other] = [await signedIn(), await signedIn()];
      const programs = [await registeredBy(owner), await registeredBy(owner, { accessTokens: "jwt" })];
      const tokens: string[] = [];
      for (const program of programs)
        tokens.push(tokensIn(await askTokens(first(), program, credentials("admin"))).access_token);
      const [opaque = ""] = tokens;
      const made = await callWith(second(), opaque, "POST", "/v1/api-keys", { name: "k", scopes: ["admin"] });
      const { key } = ApiKeyCreated.parse(made.body);
      const nested = await callWith(second(), opaque, "POST", "/v1/oauth/clients", {
        name: "Way back by another",
        grants: ["client_credentials"],
        scopes: ["admin"],
        redirectUris: [],
      });
      programs.push(OAuthClientCreated.parse(nested.body));
      expect(new Set(await everywhere([...tokens, key]))).toEqual(new Set([200]));
      const member = `/v1/members/${owner.person.id}`;
      expect((await other.browser.call("PATCH", member, { suspended: true })).status).toBe(200);
      await refusedEverywhere([...tokens, key]);
      for (const program of programs)
        for (const url of urls())
          expect(await askTokens(url, program, credentials("read"))).toMatchObject({
            status: 400,
            body: { error: "unauthorized_client" },
          });
      const [program] = programs;
      if (program === undefined) throw new Error("there is no program");
      const introspected = await ask(first(), OAUTH_PATHS.introspect, await registered(two.both[0].api), {
        token: opaque,
      });
      expect(introspected.body).toEqual({ active: false });
      expect((await other.browser.call("PATCH", member, { suspended: false, role: "viewer" })).status).toBe(
        200,
      );
      const lowered = tokensIn(await askTokens(second(), program, credentials("read write")));
      expect(lowered.scope).toBe("read");
      expect((await askTokens(second(), program, credentials("write"))).body.error).toBe("invalid_scope");
      const change = await callWith(first(), lowered.access_token, "POST", "/v1/signals", {});
      expect(change.status).toBe(403);
      expect((await other.browser.call("DELETE", member)).status).toBe(204);
      await refusedEverywhere([...tokens, lowered.access_token]);
      expect((await askTokens(first(), program, credentials("read"))).body.error).toBe("unauthorized_client");
    },
    WAIT_MS,
  );

  test(
    "goes on under whoever was shown its newest secret, without what it had under another",
    async () => {
      const [owner, other] = [await signedIn(), await signedIn()];
      const program = await registeredBy(owner);
      const jwt = await registeredBy(owner, { accessTokens: "jwt" });
      const tokens: string[] = [];
      for (const one of [program, jwt])
        tokens.push(tokensIn(await askTokens(first(), one, credentials("admin"))).access_token);
      expect(new Set(await everywhere(tokens))).toEqual(new Set([200]));
      const stream = await StreamPeer.open(two.both[1].api.streamUrl, tokens[0] ?? "");
      await stream.subscribe("all", { readings: { signalIds: "all" } });
      const rotated = [];
      for (const { id } of [program, jwt]) {
        const { body } = await other.browser.call("POST", `/v1/oauth/clients/${id}/rotate-secret`);
        rotated.push({ id, ...OAuthClientSecret.parse(body) });
      }
      await refusedEverywhere(tokens);
      expect((await stream.closed).code).toBe(4401);
      const member = `/v1/members/${owner.person.id}`;
      expect((await other.browser.call("DELETE", member)).status).toBe(204);
      for (const one of rotated) {
        const { access_token: token } = tokensIn(await askTokens(second(), one, credentials("admin")));
        expect(await statusAt(first(), token)).toBe(200);
      }
      expect((await askTokens(first(), program, credentials("admin"))).body.error).toBe("invalid_client");
    },
    WAIT_MS,
  );
});

test("no token, code, secret or key of all that was made can be read in the database", async () => {
  const program = await registered(two.both[0].api);
  const { browser } = await signedIn();
  const device = await begun();
  const { fields } = await authorized(browser, program);
  const tokens = tokensIn(await askTokens(first(), program, fields));
  const open = await authorized(browser, program);
  const secrets = [
    program.clientSecret ?? "",
    tokens.access_token,
    tokens.refresh_token ?? "",
    fields.code,
    open.fields.code,
    device.fields.device_code,
    device.userCode,
    device.userCode.replace("-", ""),
    "BEGIN PRIVATE KEY",
    '"d":',
  ];
  for (const secret of secrets) expect(secret.length).toBeGreaterThan(3);
  const schema = schemaOf(two.schema);
  const tables = await asked<{ name: string }>(
    two.schema,
    `select table_name as name from information_schema.tables where table_schema = '${schema}'`,
  );
  expect(tables.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["oauth_client", "oauth_grant", "oauth_record", "fact"]),
  );
  for (const { name } of tables) {
    const rows = await asked(two.schema, `select * from ${schema}."${name}"`);
    const text = JSON.stringify(rows, (_key, value: unknown) =>
      Buffer.isBuffer(value) ? `${value.toString("latin1")} ${value.toString("hex")}` : value,
    );
    for (const secret of secrets) {
      expect([name, text.includes(secret)]).toEqual([name, false]);
      expect([name, text.includes(Buffer.from(secret).toString("hex"))]).toEqual([name, false]);
    }
  }
  const { grants } = OAuthGrantsAnswer.parse((await browser.call("GET", "/v1/me/grants")).body);
  expect(grants.length).toBe(2);
});
