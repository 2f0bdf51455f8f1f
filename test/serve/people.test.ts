import { describe, expect, onTestFinished, test, vi } from "vitest";
import { ApiKeyCreated } from "../../schemas/api-key.ts";
import { Email } from "../../schemas/email.ts";
import type { Role } from "../../schemas/role.ts";
import { argon2Passwords } from "../../src/adapters/system/argon2.ts";
import { systemEntropy } from "../../src/adapters/system/clock.ts";
import { SUDO_MS } from "../../src/domain/access/limits.ts";
import { Browser } from "../support/people.ts";
import { sharedServe } from "../support/serve.ts";
import { StreamPeer } from "../support/stream-peer.ts";

const shared = sharedServe();
const PASSWORD = "rain on a copper antenna";
let people = 0;

/** Somebody of the first account, with a browser of their own. */
const somebody = async (role: Role = "owner") => {
  const { access } = shared.engines.control;
  const email = Email.parse(`person-${people++}@example.org`);
  const person = await access.people.create(email, await argon2Passwords(systemEntropy).hash(PASSWORD));
  if (person === null) throw new Error("there is one already");
  await access.members.add(shared.engines.accountId, person.id, role);
  return { person, email, browser: new Browser(shared.serve.url) };
};
const signedIn = async (role: Role = "owner") => {
  const one = await somebody(role);
  expect((await one.browser.send("/sign-in", { email: one.email, password: PASSWORD })).status).toBe(303);
  return one;
};
const sessionIn = (browser: Browser): string => browser.cookies.get("session") ?? "";

describe("a session", () => {
  test("is a cookie that scripts and other sites do not get", async () => {
    const { browser, email } = await somebody();
    const { headers } = await browser.send("/sign-in", { email, password: PASSWORD });
    const [cookie = ""] = headers.getSetCookie().filter((line) => line.startsWith("session="));
    expect(cookie).toMatch(/^session=[\w-]{43}; /);
    for (const attribute of ["HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=1209600"])
      expect(cookie.split("; ")).toContain(attribute);
    expect(cookie).not.toMatch(/domain=|secure/i);
  });

  test("begins with a token of its own, whatever the browser brought, and ends the one before", async () => {
    const victim = await somebody();
    const attacker = await signedIn();
    const planted = sessionIn(attacker.browser);
    victim.browser.plant("session", planted);
    await victim.browser.send("/sign-in", { email: victim.email, password: PASSWORD });
    expect(sessionIn(victim.browser)).not.toBe(planted);
    expect((await attacker.browser.call("GET", "/v1/me")).status).toBe(401);
    const unknown = "A".repeat(43);
    const other = await somebody();
    other.browser.plant("session", unknown);
    await other.browser.send("/sign-in", { email: other.email, password: PASSWORD });
    expect(sessionIn(other.browser)).not.toBe(unknown);
    expect(sessionIn(other.browser)).toMatch(/^[\w-]{43}$/);
  });

  test("gets another token when the role of its person changes, and does no more than the role allows", async () => {
    const owner = await signedIn();
    const editor = await signedIn("editor");
    const before = sessionIn(editor.browser);
    expect((await editor.browser.call("POST", "/v1/signals", { name: "a", threshold: 0.2 })).status).toBe(
      201,
    );
    const path = `/v1/members/${editor.person.id}`;
    expect((await owner.browser.call("PATCH", path, { role: "viewer" })).status).toBe(200);
    const lowered = new Browser(shared.serve.url);
    lowered.plant("session", before);
    // Within the four seconds for which sessions are remembered.
    const deadline = performance.now() + 5_000;
    let status = 201;
    for (let n = 0; status === 201 && performance.now() < deadline; n++)
      ({ status } = await lowered.call("POST", "/v1/signals", { name: `b${n}`, threshold: 0.2 }));
    expect(status).toBe(403);
    expect(sessionIn(lowered)).not.toBe(before);
    expect((await lowered.call("GET", "/v1/signals?limit=1")).status).toBe(200);
    expect((await lowered.call("GET", "/v1/members")).status).toBe(403);
  });

  test("of somebody who is suspended lets nobody in within five seconds, nor does a key of theirs", async () => {
    const owner = await signedIn();
    const editor = await signedIn("editor");
    const made = await editor.browser.call("POST", "/v1/api-keys", { name: "k", scopes: ["read"] });
    const { key } = ApiKeyCreated.parse(made.body);
    const stream = await StreamPeer.open(shared.serve.api.streamUrl, key);
    const asked = () =>
      fetch(`${shared.serve.url}/v1/signals`, { headers: { authorization: `Bearer ${key}` } });
    expect((await asked()).status).toBe(200);
    const path = `/v1/members/${editor.person.id}`;
    const from = performance.now();
    expect((await owner.browser.call("PATCH", path, { suspended: true })).status).toBe(200);
    let statuses = [200, 200];
    while (!statuses.every((status) => status >= 400) && performance.now() - from < 5_000)
      statuses = [(await asked()).status, (await editor.browser.call("GET", "/v1/signals")).status];
    expect(statuses).toEqual([401, 401]);
    expect((await stream.closed).code).toBe(4401);
    expect((await owner.browser.call("PATCH", path, { suspended: false })).status).toBe(200);
    expect((await editor.browser.call("GET", "/v1/signals")).status).toBe(401);
  });
});

describe("what a session does", () => {
  const change = { name: "forged", threshold: 0.5 };

  test.each([
    ["of another site", { origin: "https://evil.example", "sec-fetch-site": "cross-site" }, 403],
    ["of a neighbouring host", { origin: "https://evil.example", "sec-fetch-site": "same-site" }, 403],
    ["of another site, by an old browser", { origin: "https://evil.example" }, 403],
    ["without an origin", { origin: "null" }, 403],
    ["of another port of this machine", { origin: "http://127.0.0.1:1" }, 403],
    ["that says nothing of where it is from", {}, 403],
    ["typed by hand", { "sec-fetch-site": "none" }, 403],
    ["of ours", { "sec-fetch-site": "same-origin" }, 201],
  ])("is done for no page %s", async (_, headers: Record<string, string>, status) => {
    const { browser } = await signedIn();
    const cookie = `session=${sessionIn(browser)}`;
    const response = await fetch(`${shared.serve.url}/v1/signals`, {
      method: "POST",
      headers: { "content-type": "application/json", cookie, ...headers },
      body: JSON.stringify(change),
    });
    expect(response.status).toBe(status);
  });

  test("is done by no form of another site, and no sign-in or sign-out forced", async () => {
    const { browser, email } = await signedIn();
    const from = { origin: "https://evil.example" };
    expect((await browser.send("/sign-out", {}, from)).status).toBe(403);
    expect((await browser.call("GET", "/v1/me")).status).toBe(200);
    const before = sessionIn(browser);
    expect((await browser.send("/sign-in", { email, password: PASSWORD }, from)).status).toBe(403);
    expect(sessionIn(browser)).toBe(before);
  });

  test("opens a stream for pages of ours alone", async () => {
    const { browser } = await signedIn();
    const cookie = `session=${sessionIn(browser)}`;
    const ours = await StreamPeer.open(shared.serve.api.streamUrl, null, {
      cookie,
      origin: shared.serve.url,
    });
    await ours.subscribe("all", { readings: { signalIds: "all" } });
    const theirs = await StreamPeer.open(shared.serve.api.streamUrl, null, {
      cookie,
      origin: "https://evil.example",
    });
    expect((await theirs.closed).code).toBe(4401);
    ours.end();
  });
});

describe("a page", () => {
  test("says the same of every way to fail, and where to go is always here", async () => {
    const { browser, email } = await somebody();
    const pages = [];
    for (const tried of [email, "nobody@example.org", "no address"])
      pages.push(
        await browser.send("/sign-in", { email: tried, password: "wrong password", next: "//evil.example" }),
      );
    const texts = pages.map(({ status, text }) => `${status} ${text.replace(/value="[^"]*"/g, "")}`);
    expect(new Set(texts).size).toBe(1);
    for (const { text } of pages) expect(text).not.toContain("evil.example");
    for (const next of ["//evil.example", "/\\evil.example", "javascript:alert(1)", "https://evil.example"]) {
      const done = await new Browser(shared.serve.url).send("/sign-in", { email, password: PASSWORD, next });
      expect([done.status, done.location]).toEqual([303, "/"]);
    }
  });

  test("takes nothing for markup, no doubled field, and no other body than a form", async () => {
    const { browser } = await somebody();
    const hostile = '"><script>alert(1)</script>';
    const { text, headers } = await browser.send("/sign-in", { email: hostile, password: "x" });
    expect(text).not.toContain("<script");
    expect(headers.get("content-security-policy")).toMatch(
      /default-src 'none'.*form-action 'self'.*frame-ancestors 'none'/,
    );
    const send = (type: string, body: string) =>
      fetch(`${shared.serve.url}/sign-in`, {
        method: "POST",
        headers: { "content-type": type, origin: shared.serve.url },
        body,
      });
    const form = "application/x-www-form-urlencoded";
    expect((await send(form, "email=a&email=b&password=c")).status).toBe(400);
    expect((await send("application/json", '{"email":"a","password":"b"}')).status).toBe(415);
    expect((await send(form, `email=${"a".repeat(100_000)}`)).status).toBe(413);
    expect((await send(form, "")).status).toBe(400);
  });

  test("of a link that is unknown, of another purpose or no link at all is one page", async () => {
    const browser = new Browser(shared.serve.url);
    const { person } = await somebody();
    const token = "B".repeat(43);
    await shared.engines.control.access.links.add(token, {
      purpose: "reset-password",
      subject: person.id,
      content: null,
      expiresAt: Date.now() + 60_000,
    });
    const texts = [];
    for (const path of [`/set-password/${token}`, `/set-password/${"C".repeat(43)}`, "/set-password/x"])
      for (const answer of [await browser.open(path), await browser.send(path, { password: PASSWORD })])
        texts.push(`${answer.status} ${answer.text}`);
    expect(new Set(texts).size).toBe(1);
    expect(texts[0]).toMatch(/^410 /);
    expect((await browser.open(`/reset-password/${token}`)).status).toBe(200);
  });
});

describe("an access request", () => {
  test.each([
    ["two addresses", { email: "a@x.example, c@x.example" }],
    ["a line break", { email: "a@x.example\r\nBcc: all@x.example" }],
    ["a NUL", { email: "a\0@x.example" }],
    ["a short use case", { useCase: "watching" }],
    ["a long use case", { useCase: "x".repeat(2_001) }],
    ["another field", { role: "owner" }],
  ])("with %s is refused, by the API and on the page", async (_, fields) => {
    const good = { email: "asks@example.org", useCase: "We watch forty masts of a rescue service." };
    const { status } = await shared.serve.api.call("POST", "/v1/access-requests", { ...good, ...fields });
    expect(status).toBe(400);
    if ("role" in fields) return;
    const page = await new Browser(shared.serve.url).send("/request-access", { ...good, ...fields });
    expect([page.status, page.text]).toEqual([400, expect.stringContaining('role="alert"')]);
  });
});

test("a key that a key made ends with the person whose it was", async () => {
  const [owner, other] = [await signedIn(), await signedIn()];
  const first = await other.browser.call("POST", "/v1/api-keys", { name: "first", scopes: ["admin"] });
  const by = (key: string, method: string, path: string, body?: object) =>
    fetch(shared.serve.url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });
  const { key: firstKey } = ApiKeyCreated.parse(first.body);
  const second = await by(firstKey, "POST", "/v1/api-keys", { name: "second", scopes: ["read"] });
  const { key } = ApiKeyCreated.parse(await second.json());
  expect((await by(key, "GET", "/v1/signals?limit=1")).status).toBe(200);
  const path = `/v1/members/${other.person.id}`;
  expect((await owner.browser.call("PATCH", path, { suspended: true })).status).toBe(200);
  const deadline = performance.now() + 5_000;
  let status = 200;
  while (status === 200 && performance.now() < deadline)
    ({ status } = await by(key, "GET", "/v1/signals?limit=1"));
  expect(status).toBe(401);
});

test("who is in is changed by nobody who signed in long ago, until they say once more who they are", async () => {
  const owner = await signedIn();
  const { person } = await somebody("viewer");
  const { access } = shared.engines.control;
  const { id } = await access.requests.add(Email.parse("waits@example.org"), "We watch forty masts.");
  const member = `/v1/members/${person.id}`;
  const changes = [
    ["PATCH", member, { role: "owner" }],
    ["PATCH", member, { suspended: true }],
    ["POST", "/v1/invitations", { email: "by-an-old-session@example.org", role: "owner" }],
    ["POST", `/v1/access-requests/${id}/approve`, { role: "owner" }],
    ["DELETE", member, undefined],
  ] as const;
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + SUDO_MS });
  onTestFinished(() => void vi.useRealTimers());
  for (const [method, path, body] of changes)
    expect([path, await owner.browser.call(method, path, body)]).toMatchObject([
      path,
      { status: 403, body: { code: "proof_required" } },
    ]);
  expect(await access.members.get(shared.engines.accountId, person.id)).toMatchObject({
    role: "viewer",
    suspendedAt: null,
  });
  expect(await access.requests.get(id)).toMatchObject({ state: "pending" });
  expect((await owner.browser.call("GET", member)).status).toBe(200);
  expect((await owner.browser.call("PUT", "/v1/me/proof", { password: PASSWORD })).status).toBe(204);
  for (const [method, path, body] of changes) {
    const { status } = await owner.browser.call(method, path, body);
    expect([path, status < 300]).toEqual([path, true]);
  }
});

describe("an invitation", () => {
  test("is for nobody who is in already, nor is a request of theirs approved", async () => {
    const owner = await signedIn();
    const member = await somebody("viewer");
    const again = await owner.browser.call("POST", "/v1/invitations", { email: member.email, role: "owner" });
    expect(again).toMatchObject({ status: 409, body: { code: "conflict" } });
    const { id } = await shared.engines.control.access.requests.add(
      member.email,
      "I lost the way to sign in.",
    );
    const approve = `/v1/access-requests/${id}/approve`;
    expect((await owner.browser.call("POST", approve, { role: "owner" })).status).toBe(409);
    const { access } = shared.engines.control;
    expect(await access.requests.get(id)).toMatchObject({ state: "pending" });
    expect(await access.members.get(shared.engines.accountId, member.person.id)).toMatchObject({
      role: "viewer",
    });
  });
});
