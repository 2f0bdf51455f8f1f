import { describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { COMMAND_LINE_CLIENT } from "../../schemas/oauth-client.ts";
import { OAuthGrantsAnswer } from "../../schemas/oauth-grant.ts";
import { OAUTH_PATHS } from "../../schemas/oauth-paths.ts";
import type { Role } from "../../schemas/role.ts";
import { SUDO_MS } from "../../src/domain/access/limits.ts";
import { ask, askTokens, type Credentials, refreshTokenIn, registered, tokensIn } from "../support/oauth.ts";
import { Browser } from "../support/people.ts";
import { sharedServe } from "../support/serve.ts";
import { PASSWORD, signedInAt, somebodyOf } from "../support/signed-in.ts";

const shared = sharedServe();
const url = () => shared.serve.url;
const COMMAND_LINE = { id: COMMAND_LINE_CLIENT, clientSecret: null };
const Begun = z.object({
  device_code: z.string(),
  user_code: z.string().regex(/^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$/),
  verification_uri: z.string(),
  verification_uri_complete: z.string(),
  expires_in: z.literal(600),
});

const signedIn = async (role: Role = "owner") => {
  const somebody = await somebodyOf(shared.engines, role);
  return { ...somebody, browser: await signedInAt(url(), somebody) };
};
const begun = async (scope = "read write", program: Credentials = COMMAND_LINE) => {
  const { status, body } = await ask(url(), OAUTH_PATHS.deviceCode, program, { scope });
  expect(status).toBe(200);
  const device = Begun.parse(body);
  const poll = () =>
    askTokens(url(), program, {
      grant_type: "urn:ietf:params:oauth:grant-type:device_code",
      device_code: device.device_code,
    });
  return { ...device, poll };
};
const type = (browser: Browser, code: string) => browser.send(OAUTH_PATHS.device, { user_code: code });
const decide = (browser: Browser, code: string, decision: string, more = {}) =>
  browser.send(`${OAUTH_PATHS.device}/decision`, { user_code: code, decision, ...more });

describe("a device", () => {
  test("is let in by whoever types its code, signed in, and sees what it asks for", async () => {
    const device = await begun("read admin");
    expect(device.verification_uri_complete).toBe(`${url()}/oauth/device?user_code=${device.user_code}`);
    expect((await device.poll()).body).toMatchObject({ error: "authorization_pending" });
    const path = device.verification_uri_complete.slice(url().length);
    const stranger = await new Browser(url()).open(path);
    expect(stranger).toMatchObject({
      status: 303,
      location: `/sign-in?next=${encodeURIComponent(path)}`,
    });
    const { browser, email } = await signedIn("editor");
    expect((await browser.open(path)).text).toContain(`value="${device.user_code}"`);
    const page = await type(browser, device.user_code);
    for (const words of [
      "signals, the command line",
      email,
      shared.engines.accountId,
      "see everything",
      "<code>admin</code>, which your role does not allow",
      device.user_code,
    ])
      expect(page.text).toContain(words);
    expect(page.text).not.toMatch(/<script|<select/);
    expect((await device.poll()).body).toMatchObject({ error: "authorization_pending" });
    const done = await decide(browser, device.user_code, "allow");
    expect([done.status, done.text]).toEqual([200, expect.stringContaining("is let in")]);
    const answer = await device.poll();
    expect(tokensIn(answer)).toMatchObject({ scope: "read", refresh_token: expect.any(String) });
    const signals = await fetch(`${url()}/v1/signals?limit=1`, {
      headers: { authorization: `Bearer ${tokensIn(answer).access_token}` },
    });
    expect(signals.status).toBe(200);
    expect((await type(browser, device.user_code)).status).toBe(400);
    expect((await decide(browser, device.user_code, "refuse")).status).toBe(400);
  });

  test("whose code comes again gets nothing, and loses what it got", async () => {
    const device = await begun();
    const { browser } = await signedIn();
    await decide(browser, device.user_code, "allow");
    const first = refreshTokenIn(await device.poll());
    expect((await device.poll()).body).toMatchObject({ error: "invalid_grant" });
    const renewed = await askTokens(url(), COMMAND_LINE, {
      grant_type: "refresh_token",
      refresh_token: first,
    });
    expect(renewed.body).toMatchObject({ error: "invalid_grant" });
  });

  test("is let in by nobody who signed in long ago, until they say once more who they are", async () => {
    const { browser } = await signedIn();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + SUDO_MS });
    onTestFinished(() => void vi.useRealTimers());
    const device = await begun();
    const path = `${OAUTH_PATHS.device}?user_code=${device.user_code}`;
    const asked = await decide(browser, device.user_code, "allow");
    expect(asked).toMatchObject({ status: 303, location: `/prove?next=${encodeURIComponent(path)}` });
    expect((await device.poll()).body).toMatchObject({ error: "authorization_pending" });
    const proven = await browser.send("/prove", { password: PASSWORD, next: path });
    expect([proven.status, proven.location]).toEqual([303, path]);
    expect((await browser.open(path)).text).toContain(`value="${device.user_code}"`);
    expect((await decide(browser, device.user_code, "allow")).text).toContain("is let in");
    vi.setSystemTime(Date.now() + SUDO_MS);
    const refused = await begun();
    expect((await decide(browser, refused.user_code, "refuse")).text).toContain("was not let in");
  });

  test("is told when the person says no", async () => {
    const device = await begun();
    const { browser } = await signedIn();
    expect((await decide(browser, device.user_code, "refuse")).text).toContain("was not let in");
    expect((await device.poll()).body).toMatchObject({ error: "access_denied" });
    expect((await decide(browser, device.user_code, "allow")).status).toBe(400);
  });

  test("is let in by a page of ours alone", async () => {
    const device = await begun();
    const { browser } = await signedIn();
    for (const from of [
      { origin: "https://evil.example" },
      { origin: "null" },
      { "sec-fetch-site": "cross-site" },
    ])
      for (const path of [OAUTH_PATHS.device, `${OAUTH_PATHS.device}/decision`]) {
        const sent = await browser.send(path, { user_code: device.user_code, decision: "allow" }, from);
        expect([from, sent.status]).toEqual([from, 403]);
      }
    expect((await device.poll()).body).toMatchObject({ error: "authorization_pending" });
  });

  test.each([
    ["in small letters", (code: string) => code.toLowerCase()],
    ["without its dash", (code: string) => code.replace("-", "")],
    ["with spaces", (code: string) => ` ${[...code].join(" ")} `],
  ])("is found by its code %s", async (_, typed) => {
    const device = await begun();
    const { browser } = await signedIn();
    expect((await type(browser, typed(device.user_code))).text).toContain(device.user_code);
  });

  test("is not found by guesses, of which there are few", async () => {
    const { browser } = await signedIn();
    const device = await begun();
    const wrong = [
      "",
      "BCDF-GHJL",
      "x",
      "ＢＣＤＦＧＨＪＫ",
      '"><script>',
      "BCDFGHJKL",
      "\0",
      "B".repeat(500),
      "1",
      "2",
    ];
    const pages = [];
    for (const code of wrong) pages.push(await type(browser, code));
    for (const { status, text } of pages) {
      expect([status, text]).toEqual([400, expect.stringContaining("This code is wrong")]);
      expect(text).not.toContain("<script");
    }
    expect((await type(browser, device.user_code)).status).toBe(429);
    expect((await decide(browser, device.user_code, "allow")).status).toBe(429);
    const { browser: other } = await signedIn();
    expect((await decide(other, device.user_code, "allow")).status).toBe(200);
  });

  test("of a program of another kind is refused, and so is one without a scope", async () => {
    const program = await registered(shared.serve.api);
    const begin = (by: Credentials, fields: Record<string, string>) =>
      ask(url(), OAUTH_PATHS.deviceCode, by, fields);
    expect((await begin(program, { scope: "read" })).body).toMatchObject({ error: "invalid_request" });
    expect((await begin(COMMAND_LINE, {})).body).toMatchObject({ error: "invalid_scope" });
    expect((await begin(COMMAND_LINE, { scope: "x" })).body).toMatchObject({ error: "invalid_scope" });
    const nobody = { ...COMMAND_LINE, id: "ocl_01JDA2V3Q8R5T7W9Y1B3D5F7H9" };
    expect((await begin(nobody, { scope: "read" })).body).toMatchObject({ error: "invalid_client" });
  });

  test("of a registered program acts in its account alone", async () => {
    const settings = { grants: ["device_code"], redirectUris: [], confidential: false };
    const program = await registered(shared.serve.api, settings);
    const device = await begun("read", program);
    const { browser } = await signedIn("viewer");
    expect((await type(browser, device.user_code)).text).toContain("Wallboard &#60;3");
    await decide(browser, device.user_code, "allow", { account: "acc_01JDA2V3Q8R5T7W9Y1B3D5F7H9" });
    expect(tokensIn(await device.poll()).scope).toBe("read");
  });

  test("is let into the account that the person chooses, of those they are in", async () => {
    const { browser, person } = await signedIn();
    const { control } = shared.engines;
    const [elsewhere, strict] = ["acc_01JDA2V3Q8R5T7W9Y1B3D5F7H9", "acc_01JDA2V3Q8R5T7W9Y1B3D5F7HA"];
    const device = await begun();
    const none = await decide(browser, device.user_code, "allow", { account: elsewhere });
    expect(none.text).toContain("You are not in the account");
    for (const [id, required] of [
      [elsewhere, 0],
      [strict, 1],
    ] as const) {
      const account = {
        id,
        name: `Named ${id}`,
        second_factor_required: required,
        revision: 1,
        created_at: 1,
      };
      await control.transfer.add("account", [account]);
      const membership = { account_id: id, person_id: person.id, role: "viewer", revision: 1 };
      await control.transfer.add("membership", [{ ...membership, suspended_at: null, created_at: 1 }]);
    }
    const page = await type(browser, device.user_code);
    expect(page.text).toContain(`<option value="${elsewhere}"`);
    expect(page.text).toContain(`name="account" value="${shared.engines.accountId}"`);
    const refused = await decide(browser, device.user_code, "allow", { account: strict });
    expect(refused.text).toContain("asks for a second factor");
    expect((await device.poll()).body).toMatchObject({ error: "authorization_pending" });
    const looked = await decide(browser, device.user_code, "look", { account: elsewhere });
    for (const words of [`Named ${elsewhere}`, "(viewer, now)", `name="account" value="${elsewhere}"`])
      expect(looked.text).toContain(words);
    await decide(browser, device.user_code, "allow", { account: elsewhere });
    expect(tokensIn(await device.poll()).scope).toBe("read");
    const { grants } = OAuthGrantsAnswer.parse((await browser.call("GET", "/v1/me/grants")).body);
    expect(grants).toMatchObject([{ accountId: elsewhere, scopes: ["read"] }]);
  });

  test("that nobody lets in is one of six hundred in ten minutes from one place", async () => {
    const begin = async () =>
      (await ask(url(), OAUTH_PATHS.deviceCode, COMMAND_LINE, { scope: "read" })).status;
    for (let n = 0; n < 60; n++) await Promise.all(Array.from({ length: 10 }, begin));
    expect(await begin()).toBe(429);
    const { status, headers, body } = await ask(url(), OAUTH_PATHS.deviceCode, COMMAND_LINE, {
      scope: "read",
    });
    expect([status, body.error, Number(headers.get("retry-after")) > 0]).toEqual([
      429,
      "temporarily_unavailable",
      true,
    ]);
  });
});
