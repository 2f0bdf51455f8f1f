import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { Account } from "../../schemas/account.ts";
import { AccountId } from "../../schemas/common.ts";
import { Me, RecoveryCodes } from "../../schemas/me.ts";
import type { Role } from "../../schemas/role.ts";
import { systemEntropy } from "../../src/adapters/system/clock.ts";
import { SUDO_MS } from "../../src/domain/access/limits.ts";
import { ulid } from "../../src/domain/ids.ts";
import { KEY_TTL_MS } from "../../src/serve/known-keys.ts";
import type { ServeSettings } from "../../src/serve/settings.ts";
import { ManualClock } from "../support/clock.ts";
import { openTestControl } from "../support/engines.ts";
import { askTokens, authorized, callWith, refreshTokenIn, registered, tokensIn } from "../support/oauth.ts";
import { Browser } from "../support/people.ts";
import { openTestEngines, startTestServe, type TestEngines } from "../support/serve.ts";
import { newKeyOn } from "../support/serve-worker.ts";
import { codeOf, PASSWORD, setUpSecondFactor, signedInAt, somebodyOf } from "../support/signed-in.ts";
import { StreamPeer } from "../support/stream-peer.ts";

const BEFORE_MS = 10_000;

let embedded: TestEngines;
beforeAll(async () => {
  embedded = await openTestEngines();
});
afterAll(() => embedded.close());

/** A service with control data of its own, where time stands still. */
const opened = async (settings: Partial<ServeSettings> = {}) => {
  const clock = new ManualClock(Date.now());
  const control = await openTestControl(clock);
  const { id: accountId } = await control.accounts.first();
  const engines = { ...embedded, control, accountId, clock, newKey: newKeyOn(control, accountId) };
  const serve = await startTestServe(engines, settings);
  onTestFinished(() => serve.stop());
  const signedIn = async (role: Role = "owner") => {
    const somebody = await somebodyOf(engines, role);
    return { ...somebody, browser: await signedInAt(serve.url, somebody) };
  };
  const code = (secret: string): string => codeOf(secret, clock.now());
  const setUp = (browser: Browser) => setUpSecondFactor(browser, clock.now());
  const requireSecondFactor = async (isRequired = true) => {
    const answer = await serve.api.call("PATCH", "/v1/account", { secondFactorRequired: isRequired });
    expect(answer.status).toBe(200);
    clock.advance(KEY_TTL_MS);
  };
  return { clock, control, accountId, serve, signedIn, setUp, code, requireSecondFactor };
};
const sessionIn = (browser: Browser): string => browser.cookies.get("session") ?? "";
const meOf = async (browser: Browser) => Me.parse((await browser.call("GET", "/v1/me")).body);
const statusOf = async (browser: Browser) => (await browser.call("GET", "/v1/signals?limit=1")).status;

describe("a second factor", () => {
  test("is set up by a session that is known by another token from then on", async () => {
    const { clock, serve, signedIn, setUp } = await opened();
    const { browser } = await signedIn();
    const before = sessionIn(browser);
    expect((await setUp(browser)).recoveryCodes).toHaveLength(10);
    expect(sessionIn(browser)).not.toBe(before);
    expect(await meOf(browser)).toMatchObject({ secondFactor: true, recoveryCodesLeft: 10 });
    clock.advance(BEFORE_MS);
    const stolen = new Browser(serve.url);
    stolen.plant("session", before);
    expect(await statusOf(stolen)).toBe(401);
    expect(await statusOf(browser)).toBe(200);
  });

  test("has recovery codes, of which only the newest let anybody in", async () => {
    const { clock, serve, signedIn, setUp } = await opened();
    const { browser, email } = await signedIn();
    const renewed = () => browser.call("PUT", "/v1/me/recovery-codes");
    expect((await renewed()).status).toBe(409);
    const [first = ""] = (await setUp(browser)).recoveryCodes;
    const { recoveryCodes } = RecoveryCodes.parse((await renewed()).body);
    expect(recoveryCodes).toHaveLength(10);
    const other = new Browser(serve.url);
    expect((await other.send("/sign-in", { email, password: PASSWORD })).location).toMatch(
      /^\/sign-in\/code/,
    );
    expect((await other.send("/sign-in/code", { code: first })).status).toBe(401);
    expect((await other.send("/sign-in/code", { code: recoveryCodes[0] ?? "" })).status).toBe(303);
    expect((await meOf(other)).recoveryCodesLeft).toBe(9);
    clock.advance(SUDO_MS);
    expect(await renewed()).toMatchObject({ status: 403, body: { code: "proof_required" } });
  });

  test("is removed by who has just said who they are, and is then asked for no more", async () => {
    const { clock, serve, signedIn, setUp, code } = await opened();
    const { browser, email } = await signedIn();
    const { secret } = await setUp(browser);
    const removed = () => browser.call("DELETE", "/v1/me/second-factor");
    clock.advance(SUDO_MS);
    expect(await removed()).toMatchObject({ status: 403, body: { code: "proof_required" } });
    expect((await meOf(browser)).secondFactor).toBe(true);
    const other = new Browser(serve.url);
    await other.send("/sign-in", { email, password: PASSWORD });
    expect((await other.call("GET", "/v1/me")).status).toBe(401);
    const prove = (typed: object) => browser.call("PUT", "/v1/me/proof", { password: PASSWORD, ...typed });
    expect((await prove({})).status).toBe(403);
    expect((await prove({ code: code(secret) })).status).toBe(204);
    const before = sessionIn(browser);
    expect((await removed()).status).toBe(204);
    expect(sessionIn(browser)).not.toBe(before);
    expect(await meOf(browser)).toMatchObject({ secondFactor: false, recoveryCodesLeft: 0 });
    await other.send("/sign-in", { email, password: PASSWORD });
    expect((await other.call("GET", "/v1/me")).status).toBe(200);
  });

  test("that an account asks for is set up anew before anything else by who has removed it", async () => {
    const { signedIn, setUp, requireSecondFactor } = await opened();
    const { browser } = await signedIn("editor");
    await setUp(browser);
    await requireSecondFactor();
    expect(await statusOf(browser)).toBe(200);
    expect((await browser.call("DELETE", "/v1/me/second-factor")).status).toBe(204);
    const refused = { status: 403, body: { code: "second_factor_required" } };
    expect(await browser.call("GET", "/v1/signals")).toMatchObject(refused);
    expect(await browser.call("POST", "/v1/stream/tickets")).toMatchObject(refused);
    await setUp(browser);
    expect(await statusOf(browser)).toBe(200);
  });

  test("is asked for by nobody who has none: they would lock themselves out", async () => {
    const { serve, signedIn, setUp } = await opened();
    const { browser } = await signedIn("owner");
    const ask = () => browser.call("PATCH", "/v1/account", { secondFactorRequired: true });
    expect(await ask()).toMatchObject({ status: 409, body: { code: "conflict" } });
    expect(await serve.api.expect(Account, "GET", "/v1/account")).toMatchObject({
      secondFactorRequired: false,
    });
    expect((await browser.call("PATCH", "/v1/account", { secondFactorRequired: false })).status).toBe(200);
    await setUp(browser);
    expect((await ask()).status).toBe(200);
    expect(await meOf(browser)).toMatchObject({ mustSetUpSecondFactor: false });
    expect((await browser.call("DELETE", "/v1/me/second-factor")).status).toBe(204);
    expect(await meOf(browser)).toMatchObject({ mustSetUpSecondFactor: true, secondFactor: false });
  });

  test("that an account asks for is asked for on the stream, too, and ends those that are open", async () => {
    const { clock, serve, signedIn, setUp, requireSecondFactor } = await opened();
    const { browser } = await signedIn("editor");
    const open = () =>
      StreamPeer.open(serve.api.streamUrl, null, {
        cookie: `session=${sessionIn(browser)}`,
        origin: serve.url,
      });
    const before = await open();
    await before.subscribe("all", { readings: { signalIds: "all" } });
    const tickets = await browser.call("POST", "/v1/stream/tickets");
    const { ticket } = z.object({ ticket: z.string() }).parse(tickets.body);
    await requireSecondFactor();
    expect(await before.closed).toMatchObject({ code: 4401 });
    expect(await (await open()).closed).toMatchObject({ code: 4401 });
    const byTicket = await StreamPeer.open(`${serve.api.streamUrl}?ticket=${ticket}`, null);
    expect(await byTicket.closed).toMatchObject({ code: 4401 });
    await setUp(browser);
    clock.advance(KEY_TTL_MS);
    const after = await open();
    await after.subscribe("all", { readings: { signalIds: "all" } });
    after.end();
  });

  test("that an account asks for is missed in programs that were let in without one, until it is there", async () => {
    const { clock, serve, signedIn, setUp, requireSecondFactor } = await opened();
    const { browser } = await signedIn("editor");
    const program = await registered(serve.api);
    const { fields } = await authorized(browser, program);
    const granted = await askTokens(serve.url, program, fields);
    const { access_token: token } = tokensIn(granted);
    const status = async () => (await callWith(serve.url, token, "GET", "/v1/signals?limit=1")).status;
    expect(await status()).toBe(200);
    await requireSecondFactor();
    expect(await status()).toBe(401);
    const refresh = { grant_type: "refresh_token", refresh_token: refreshTokenIn(granted) };
    expect((await askTokens(serve.url, program, refresh)).body).toMatchObject({ error: "invalid_grant" });
    await setUp(browser);
    clock.advance(KEY_TTL_MS);
    expect(await status()).toBe(200);
    tokensIn(await askTokens(serve.url, program, refresh));
  });
});

describe("somebody", () => {
  test("who is in several accounts goes to another one, and to none that they may not enter", async () => {
    const { clock, control, accountId, serve, signedIn } = await opened();
    const { members } = control.access;
    const { browser, person } = await signedIn("viewer");
    const others = Array.from({ length: 3 }, (_, n) =>
      AccountId.parse(`acc_${ulid(n, systemEntropy.bytes(10))}`),
    );
    const [other, suspended, strange] = others;
    if (other === undefined || suspended === undefined) throw new Error("there are three");
    clock.advance(1);
    await members.add(other, person.id, "owner");
    await members.add(suspended, person.id, "editor");
    await members.add(suspended, (await signedIn()).person.id, "owner");
    await members.change(suspended, person.id, { isSuspended: true });
    const before = sessionIn(browser);
    const enter = (id: string | undefined) => browser.call("PUT", "/v1/me/account", { accountId: id });
    for (const id of [suspended, strange]) expect((await enter(id)).status).toBe(404);
    expect(await meOf(browser)).toMatchObject({ accountId, role: "viewer" });
    expect((await enter(other)).status).toBe(204);
    expect(await meOf(browser)).toMatchObject({
      accountId: other,
      role: "owner",
      accounts: [
        { id: accountId, role: "viewer" },
        { id: other, role: "owner" },
      ],
    });
    expect(sessionIn(browser)).not.toBe(before);
    clock.advance(BEFORE_MS);
    const stolen = new Browser(serve.url);
    stolen.plant("session", before);
    expect(await statusOf(stolen)).toBe(401);
  });

  test("who owns an account gives that up as long as another owner is left", async () => {
    const { clock, signedIn } = await opened();
    const { browser, person } = await signedIn();
    const path = `/v1/members/${person.id}`;
    const lowered = () => browser.call("PATCH", path, { role: "viewer" });
    expect(await lowered()).toMatchObject({ status: 409, body: { code: "conflict" } });
    expect((await browser.call("PATCH", path, { suspended: true })).status).toBe(409);
    expect((await browser.call("DELETE", path)).status).toBe(409);
    expect(await meOf(browser)).toMatchObject({ role: "owner" });
    const { browser: other } = await signedIn();
    expect(await lowered()).toMatchObject({ status: 200, body: { role: "viewer" } });
    clock.advance(KEY_TTL_MS);
    expect(await meOf(browser)).toMatchObject({ role: "viewer" });
    expect((await browser.call("PATCH", path, { role: "owner" })).status).toBe(403);
    expect((await other.call("GET", "/v1/members")).status).toBe(200);
  });

  test("has another e-mail address once both mailboxes have said so on their pages", async () => {
    const { control, serve, signedIn } = await opened();
    const { browser, email } = await signedIn();
    const next = "Somebody.Else@Example.org";
    expect((await browser.call("PUT", "/v1/me/email", { email: next })).status).toBe(202);
    const mails = await control.mails.take(10, 1_000);
    const reader = new Browser(serve.url);
    for (const to of [next.toLowerCase(), email]) {
      expect((await meOf(browser)).email).toBe(email);
      const [path = ""] = /\/confirm-email\/\S+/.exec(mails.find((mail) => mail.to === to)?.text ?? "") ?? [];
      expect((await reader.open(path)).status).toBe(200);
      expect((await reader.send(path, {})).status).toBe(200);
      expect((await reader.send(path, {})).status).toBe(410);
    }
    expect((await meOf(browser)).email).toBe(next.toLowerCase());
  });
});

test("over HTTPS a session is a cookie that no neighbouring host can plant", async () => {
  const publicUrl = "https://signals.example.org";
  const { serve, accountId, control } = await opened({ publicUrl });
  const { email } = await somebodyOf({ ...embedded, control, accountId });
  const browser = new Browser(serve.url);
  const from = { origin: publicUrl };
  const { headers } = await browser.send("/sign-in", { email, password: PASSWORD }, from);
  const [cookie = "", ...others] = headers.getSetCookie();
  expect(others).toEqual([]);
  expect(cookie).toMatch(/^__Host-session=[\w-]{43}; /);
  for (const attribute of ["Secure", "HttpOnly", "SameSite=Lax", "Path=/"])
    expect(cookie.split("; ")).toContain(attribute);
  expect(cookie).not.toMatch(/domain=/i);
  expect(await statusOf(browser)).toBe(200);
  const planted = new Browser(serve.url);
  planted.plant("session", browser.cookies.get("__Host-session") ?? "");
  expect(await statusOf(planted)).toBe(401);
});
