import { describe, expect, test } from "vitest";
import { COMMAND_LINE_CLIENT } from "../../schemas/oauth-client.ts";
import { OAuthGrantsAnswer } from "../../schemas/oauth-grant.ts";
import { OAUTH_PATHS } from "../../schemas/oauth-paths.ts";
import type { Role } from "../../schemas/role.ts";
import {
  type Answered,
  ask,
  askTokens,
  authorized,
  refreshTokenIn,
  registered,
  tokensIn,
} from "../support/oauth.ts";
import { asked, postgresUrl, schemaOf } from "../support/postgres.ts";
import { signedInAt, somebodyOf } from "../support/signed-in.ts";
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
