import { createServer } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { z } from "zod";
import { Account } from "../../schemas/account.ts";
import { AuditAnswer } from "../../schemas/audit.ts";
import { Email } from "../../schemas/email.ts";
import { IdentitiesAnswer, Me } from "../../schemas/me.ts";
import { openIdProviders } from "../../src/adapters/openid/providers.ts";
import { argon2Passwords } from "../../src/adapters/system/argon2.ts";
import { systemClock, systemEntropy } from "../../src/adapters/system/clock.ts";
import { TOKEN_BYTES, tokenOf } from "../../src/domain/access/secret-token.ts";
import { TestIssuer } from "../support/issuer.ts";
import { type Answer, Browser } from "../support/people.ts";
import { portOf } from "../support/port.ts";
import { openTestEngines, startTestServe, type TestEngines, type TestServe } from "../support/serve.ts";
import { codeOf, PASSWORD, setUpSecondFactor } from "../support/signed-in.ts";

const [elsewhere, other, silent] = [new TestIssuer(), new TestIssuer(), createServer(() => undefined)];
let engines: TestEngines;
/** Two workers on the same control data. */
let serve: TestServe;
let second: TestServe;
let people = 0;

const withProviders = () => {
  const settings = [
    elsewhere.settings("elsewhere"),
    other.settings("other", { name: "<b>Other" }),
    elsewhere.settings("silent", { name: "Silent", issuer: `http://127.0.0.1:${portOf(silent)}` }),
  ];
  const { telemetry } = engines;
  return { ...engines, outside: openIdProviders(settings, { clock: systemClock, telemetry }, 2_000) };
};

beforeAll(async () => {
  await Promise.all([elsewhere.start(), other.start()]);
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  engines = await openTestEngines();
  serve = await startTestServe(withProviders());
  second = await startTestServe(withProviders(), { publicUrl: serve.url });
});
afterAll(async () => {
  await serve.stop();
  await second.stop();
  await engines.close();
  await Promise.all([elsewhere.stop(), other.stop()]);
  silent.close();
});
beforeEach(() => {
  elsewhere.misdeeds = {};
  other.misdeeds = {};
});

const newBrowser = () => new Browser(serve.url);
const pathOf = (url: string): string => {
  const { origin, pathname, search } = new URL(url);
  expect(origin).toBe(serve.url);
  return pathname + search;
};
/** Follows a link to a provider, where `sub` says yes: the path that the provider sends the browser back to. */
const away = async (browser: Browser, path: string, sub: string, issuer = elsewhere): Promise<string> => {
  const left = await browser.follow(path);
  expect([left.status, left.location]).toEqual([303, expect.stringMatching(issuer.url)]);
  issuer.person = { ...issuer.person, sub };
  return pathOf(await issuer.approve(left.location ?? ""));
};
/** The same, and back. */
const through = async (browser: Browser, path: string, sub: string, issuer = elsewhere): Promise<Answer> =>
  browser.follow(await away(browser, path, sub, issuer), "cross-site");

/** Where the links of a page lead, as browsers read it. */
const linksIn = (text: string): string[] =>
  [...text.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, link = ""]) =>
    link.replaceAll(/&#(\d+);/g, (_all, code: string) => String.fromCodePoint(Number(code))),
  );

const accountOf = async (browser: Browser): Promise<z.infer<typeof Me>> =>
  Me.parse((await browser.call("GET", "/v1/me")).body);
const isIn = async (browser: Browser): Promise<boolean> =>
  (await browser.call("GET", "/v1/me")).status === 200;

/** Somebody of the first account with a password, in a browser of their own. */
const somebody = async () => {
  const { access } = engines.control;
  const name = `person-${people++}`;
  const email = Email.parse(`${name}@example.org`);
  const person = await access.people.create(email, await argon2Passwords(systemEntropy).hash(PASSWORD));
  if (person === null) throw new Error("there is one already");
  await access.members.add(engines.accountId, person.id, "editor");
  const browser = newBrowser();
  await browser.send("/sign-in", { email, password: PASSWORD });
  return { person, email, browser, sub: `${name}-there` };
};
const linked = async () => {
  const one = await somebody();
  expect((await through(one.browser, "/link/with/elsewhere", one.sub)).status).toBe(200);
  return one;
};
/** The link behind the proof of an address, of somebody who is invited. */
const invited = async (address: string) => {
  const { access } = engines.control;
  const email = Email.parse(address);
  const { id } = await access.invitations.create({
    accountId: engines.accountId,
    email,
    role: "viewer",
    accessRequestId: null,
  });
  const token = tokenOf(systemEntropy.bytes(TOKEN_BYTES));
  const expiresAt = Date.now() + 60_000;
  await access.links.add(token, { purpose: "set-password", subject: id, content: null, expiresAt });
  return { email, page: `/set-password/${token}` };
};

describe("the page to sign in", () => {
  test("offers each provider by a link, and says nothing that they could", async () => {
    const { text, headers } = await newBrowser().open("/sign-in?next=%2Fdocs");
    expect(linksIn(text)).toContain("/sign-in/with/elsewhere?next=%2Fdocs");
    expect(text).toContain("Sign in with Elsewhere");
    expect(text).toContain("Sign in with &#60;b&#62;Other");
    expect(text).not.toContain(elsewhere.url);
    expect(headers.get("content-security-policy")).toContain("form-action 'self'");
    expect((await newBrowser().open("/sign-in/with/nobody")).status).toBe(404);
  });

  test("is where links of other pages lead, as those that were typed do", async () => {
    for (const site of ["cross-site", "same-site", "none"]) {
      const answer = await newBrowser().follow("/sign-in/with/elsewhere?next=%2Fdocs", site);
      expect([answer.status, answer.location]).toEqual([303, "/sign-in?next=%2Fdocs"]);
      expect(answer.headers.getSetCookie()).toEqual([]);
    }
    expect((await newBrowser().open("/sign-in/with/elsewhere")).status).toBe(403);
    // Under another name of this machine the browser would not find again what it keeps.
    const named = new Browser(serve.url.replace("127.0.0.1", "localhost"));
    expect((await named.follow("/sign-in/with/elsewhere?next=%2Fdocs")).location).toBe(
      `${serve.url}/sign-in?next=%2Fdocs`,
    );
  });
});

describe("signing in elsewhere", () => {
  test("lets in who has linked the account, with a session of its own, to a path here", async () => {
    const { email, sub } = await linked();
    const browser = newBrowser();
    const left = await browser.follow("/sign-in/with/elsewhere?next=%2Fdocs");
    const [cookie = ""] = left.headers.getSetCookie();
    expect(cookie).toMatch(/^outside=[\w-]{200,}; /);
    for (const attribute of ["HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=600"])
      expect(cookie.split("; ")).toContain(attribute);
    elsewhere.person = { ...elsewhere.person, sub };
    browser.plant("session", "A".repeat(43));
    const back = pathOf(await elsewhere.approve(left.location ?? ""));
    const arrived = await browser.follow(back, "cross-site");
    expect([arrived.status, arrived.location]).toEqual([303, "/docs"]);
    expect((await accountOf(browser)).email).toBe(email);
    expect(browser.cookies.get("session")).not.toBe("A".repeat(43));
    expect([...browser.cookies.keys()]).toEqual(["session"]);
    for (const next of ["//evil.example", "/\\evil.example", "javascript:alert(1)", "https://evil.example"]) {
      const path = `/sign-in/with/elsewhere?next=${encodeURIComponent(next)}`;
      expect((await through(newBrowser(), path, sub)).location).toBe("/");
    }
  });

  test("ends the session that the browser had", async () => {
    const { sub, email } = await linked();
    const { browser } = await somebody();
    const before = new Browser(serve.url);
    before.plant("session", browser.cookies.get("session") ?? "");
    await through(browser, "/sign-in/with/elsewhere", sub);
    expect((await accountOf(browser)).email).toBe(email);
    await expect.poll(() => isIn(before)).toBe(false);
  });

  test("lets nobody in by an e-mail address, whoever says that it is theirs", async () => {
    const { email } = await linked();
    for (const email_verified of [false, true, undefined]) {
      elsewhere.misdeeds = { claims: (right) => ({ ...right, email, email_verified }) };
      const browser = newBrowser();
      const answer = await through(browser, "/sign-in/with/elsewhere", `stranger-${email_verified}`);
      expect([answer.status, answer.text]).toEqual([403, expect.stringContaining("Nobody signs in here")]);
      expect(await isIn(browser)).toBe(false);
    }
    const answer = await through(newBrowser(), "/sign-in/with/elsewhere", email);
    expect(answer.status).toBe(403);
  });

  test("takes no answer twice, in neither of two workers, nor at the same time", async () => {
    const { sub } = await linked();
    const browser = newBrowser();
    const path = await away(browser, "/sign-in/with/elsewhere", sub);
    const [name, value] = ["outside", browser.cookies.get("outside") ?? ""];
    const copies = [serve.url, second.url, serve.url, second.url].map((url) => {
      const copy = new Browser(url);
      copy.plant(name, value);
      return copy;
    });
    const answers = await Promise.all(copies.map((copy) => copy.follow(path, "cross-site")));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 400, 400, 400]);
    for (const copy of copies) {
      copy.plant(name, value);
      expect((await copy.follow(path, "cross-site")).status).toBe(400);
    }
  });

  test("takes no answer to another browser, nor of another provider, nor one that nobody asked for", async () => {
    const { sub } = await linked();
    const [victim, attacker] = [newBrowser(), newBrowser()];
    const path = await away(attacker, "/sign-in/with/elsewhere", sub);
    expect((await victim.follow(path, "cross-site")).status).toBe(400);
    const own = await away(victim, "/sign-in/with/elsewhere", "victim-there");
    expect((await victim.follow(path, "cross-site")).status).toBe(400);
    const mixed = path.replace("/with/elsewhere/", "/with/other/");
    expect((await attacker.follow(mixed, "cross-site")).status).toBe(400);
    expect((await attacker.follow("/sign-in/with/elsewhere/callback", "cross-site")).status).toBe(400);
    for (const browser of [victim, attacker]) expect(await isIn(browser)).toBe(false);
    // What came from elsewhere has spoilt nothing.
    expect((await attacker.follow(path, "cross-site")).status).toBe(303);
    expect((await victim.follow(own, "cross-site")).status).toBe(403);
  });

  test("is not for one provider's answer with another one's name", async () => {
    const { sub } = await linked();
    const browser = newBrowser();
    other.misdeeds = {
      back: (right) => {
        right.searchParams.set("iss", elsewhere.url);
        return right;
      },
    };
    const answer = await through(browser, "/sign-in/with/other", sub, other);
    expect([answer.status, answer.text]).toEqual([401, expect.stringContaining("cannot be trusted")]);
    other.misdeeds = { claims: (right) => ({ ...right, iss: elsewhere.url }) };
    expect((await through(browser, "/sign-in/with/other", sub, other)).status).toBe(401);
    other.misdeeds = {};
    // The same name at another place is another person.
    expect((await through(browser, "/sign-in/with/other", sub, other)).status).toBe(403);
    expect(await isIn(browser)).toBe(false);
  });

  test("that was declined, or that fails, leads back, and shows nothing that came from there", async () => {
    const error = { error: "access_denied", error_description: "Call 0900 to be let in" };
    elsewhere.misdeeds = {
      back: (right) => {
        for (const [name, value] of Object.entries(error)) right.searchParams.set(name, value);
        return right;
      },
    };
    const declined = await through(newBrowser(), "/sign-in/with/elsewhere?next=%2Fdocs", "jane");
    expect(declined.status).toBe(401);
    expect(linksIn(declined.text)).toEqual(["/sign-in?next=%2Fdocs"]);
    expect(declined.text).not.toContain("0900");
  });

  test("at a provider that is silent, or broken, is told so, while a password is taken as ever", async () => {
    const { email } = await somebody();
    const silence = await newBrowser().follow("/sign-in/with/silent");
    expect([silence.status, silence.text]).toEqual([503, expect.stringContaining("Silent does not answer")]);
    elsewhere.misdeeds = {
      intercept: (path, response) => {
        if (path !== "/token") return false;
        response.writeHead(200, { "content-type": "text/html" }).end("<b>oops");
        return true;
      },
    };
    const broken = await through(newBrowser(), "/sign-in/with/elsewhere", "jane");
    expect([broken.status, broken.text]).toEqual([503, expect.stringContaining("Elsewhere does not answer")]);
    expect(broken.text).not.toContain("oops");
    expect((await newBrowser().send("/sign-in", { email, password: PASSWORD })).status).toBe(303);
  });
});

describe("a second factor", () => {
  const withSecondFactor = async (browser: Browser) => {
    const now = Date.now();
    const { secret } = await setUpSecondFactor(browser, now - 30_000);
    return (ms: number) => codeOf(secret, now + ms);
  };

  test("is asked for after a sign-in elsewhere, and after a proof by one", async () => {
    const { browser: first, sub } = await linked();
    const code = await withSecondFactor(first);
    const browser = newBrowser();
    const arrived = await through(browser, "/sign-in/with/elsewhere?next=%2Fdocs", sub);
    expect([arrived.status, arrived.location]).toEqual([303, "/sign-in/code?next=%2Fdocs"]);
    expect(await isIn(browser)).toBe(false);
    const signedIn = await browser.send("/sign-in/code", { code: code(0), next: "/docs" });
    expect([signedIn.status, signedIn.location]).toEqual([303, "/docs"]);
    const before = (await accountOf(browser)).provenAt;
    const proven = await through(browser, "/prove/with/elsewhere?next=%2Flink", sub);
    expect([proven.status, proven.location]).toEqual([303, "/prove/code?next=%2Flink"]);
    expect((await accountOf(browser)).provenAt).toBe(before);
    const wrong = await browser.send("/prove/code", { code: "000000", next: "/link" });
    expect(wrong.status).toBe(401);
    const right = await browser.send("/prove/code", { code: code(30_000), next: "//evil.example" });
    expect([right.status, right.location]).toEqual([303, "/"]);
    expect((await accountOf(browser)).provenAt > before).toBe(true);
  });

  test("that the account asks for has to be set up, whoever vouches for somebody", async () => {
    const { sub } = await linked();
    const demand = async (secondFactorRequired: boolean) => {
      await serve.api.expect(Account, "PATCH", "/v1/account", { secondFactorRequired });
    };
    await demand(true);
    onTestFinished(() => demand(false));
    const browser = newBrowser();
    expect((await through(browser, "/sign-in/with/elsewhere", sub)).status).toBe(303);
    expect(await browser.call("GET", "/v1/signals")).toMatchObject({
      status: 403,
      body: { code: "second_factor_required" },
    });
    expect(await isIn(browser)).toBe(true);
  });
});

describe("linking an account elsewhere", () => {
  const identitiesOf = async (browser: Browser) =>
    IdentitiesAnswer.parse((await browser.call("GET", "/v1/me/identities")).body);

  test("is begun by who is signed in and has proved it, on a page of ours", async () => {
    expect((await newBrowser().open("/link")).location).toBe("/sign-in?next=/link");
    expect((await newBrowser().follow("/link/with/elsewhere")).location).toBe("/link");
    const { browser, sub, person } = await somebody();
    expect((await browser.open("/link")).text).toContain('href="/link/with/elsewhere"');
    for (const site of ["cross-site", "none"])
      expect((await browser.follow("/link/with/elsewhere", site)).location).toBe("/link");
    expect(await identitiesOf(browser)).toMatchObject({ password: true, identities: [] });
    const answer = await through(browser, "/link/with/elsewhere", sub);
    expect([answer.status, answer.text]).toEqual([
      200,
      expect.stringContaining("Your account there is linked"),
    ]);
    const { identities, providers } = await identitiesOf(browser);
    expect(identities).toMatchObject([{ provider: "Elsewhere", issuer: elsewhere.url, subject: sub }]);
    expect(providers[0]).toEqual({ id: "elsewhere", name: "Elsewhere", linkPath: "/link/with/elsewhere" });
    expect(await engines.control.access.identities.of(person.id)).toHaveLength(1);
  });

  test("ends in the session that it began in, and never takes somebody else's account", async () => {
    const [jane, john] = [await linked(), await somebody()];
    const taken = await through(john.browser, "/link/with/elsewhere", jane.sub);
    expect([taken.status, taken.text]).toEqual([409, expect.stringContaining("signs in somebody else")]);
    const path = await away(john.browser, "/link/with/elsewhere", "attackers");
    const victim = await somebody();
    victim.browser.plant("outside", john.browser.cookies.get("outside") ?? "");
    expect((await victim.browser.follow(path, "cross-site")).status).toBe(400);
    for (const { browser } of [john, victim]) expect((await identitiesOf(browser)).identities).toEqual([]);
  });

  test("is undone with a proof, but for the last way to sign in", async () => {
    const { email, page } = await invited(`person-${people++}@example.org`);
    const browser = newBrowser();
    const sub = `${email}-there`;
    expect((await browser.open(page)).text).toContain(`href="${page}/with/elsewhere"`);
    expect((await browser.follow(`${page}/with/elsewhere`, "cross-site")).location).toBe(page);
    const arrived = await through(browser, `${page}/with/elsewhere`, sub);
    expect([arrived.status, arrived.location]).toEqual([303, "/"]);
    expect(await accountOf(browser)).toMatchObject({ email, role: "viewer", secondFactor: false });
    expect((await browser.open(page)).status).toBe(410);
    expect((await browser.follow(`${page}/with/elsewhere`)).status).toBe(410);
    const { identities, password } = await identitiesOf(browser);
    expect([identities.length, password]).toEqual([1, false]);
    const path = `/v1/me/identities/${identities[0]?.id}`;
    expect(await browser.call("DELETE", path)).toMatchObject({ status: 409, body: { code: "conflict" } });
    await through(browser, "/link/with/other", sub, other);
    expect((await browser.call("DELETE", path)).status).toBe(204);
    expect((await browser.call("DELETE", path)).status).toBe(404);
    const log = AuditAnswer.parse((await browser.call("GET", "/v1/me/security-log")).body);
    const { id: by } = await accountOf(browser);
    const was = { issuer: elsewhere.url, subject: sub };
    expect(log.entries.filter(({ action }) => action.startsWith("identity."))).toMatchObject([
      { action: "identity.removed", before: was, after: null, actor: { id: by } },
      { action: "identity.linked", before: null, after: { ...was, issuer: other.url }, actor: { id: by } },
      { action: "identity.linked", before: null, after: was, actor: { id: by, name: email } },
    ]);
    expect((await through(newBrowser(), "/sign-in/with/elsewhere", sub)).status).toBe(403);
    expect((await through(newBrowser(), "/sign-in/with/other", sub, other)).status).toBe(303);
  });

  test("is seen and undone on a page, too", async () => {
    const { email, page } = await invited(`person-${people++}@example.org`);
    const browser = newBrowser();
    await through(browser, `${page}/with/elsewhere`, `<i>${email}`);
    const { text } = await browser.open("/link");
    expect(text).toContain(`&#60;i&#62;${email}, since `);
    const [, id = ""] = /name="id" value="(idn_\w+)"/.exec(text) ?? [];
    const last = await browser.send("/link/remove", { id });
    expect([last.status, last.text]).toEqual([409, expect.stringContaining("Set a password first")]);
    await through(browser, "/link/with/other", email, other);
    const forged = await browser.send("/link/remove", { id }, { origin: "https://evil.example" });
    expect(forged.status).toBe(403);
    expect(await browser.send("/link/remove", { id })).toMatchObject({ status: 303, location: "/link" });
    expect((await identitiesOf(browser)).identities).toMatchObject([{ provider: "<b>Other" }]);
    expect((await browser.send("/link/remove", { id: "x" })).status).toBe(400);
  });

  test("by an invitation, to an account that is somebody else's, leaves the invitation open", async () => {
    const { sub } = await linked();
    const { page, email } = await invited(`person-${people++}@example.org`);
    const browser = newBrowser();
    const taken = await through(browser, `${page}/with/elsewhere`, sub);
    expect([taken.status, taken.text]).toEqual([409, expect.stringContaining(`href="${page}"`)]);
    expect(await isIn(browser)).toBe(false);
    expect(await browser.send(page, { password: PASSWORD })).toMatchObject({ status: 303, location: "/" });
    expect((await accountOf(browser)).email).toBe(email);
  });
});

describe("a proof", () => {
  test("is asked for after ten minutes, before an account is linked or removed", async () => {
    const { browser, person } = await linked();
    const clock = { ...systemClock, now: () => systemClock.now() + 10 * 60_000 };
    const late = await startTestServe({ ...withProviders(), clock }, { publicUrl: serve.url });
    onTestFinished(() => late.stop());
    const later = new Browser(late.url);
    later.plant("session", browser.cookies.get("session") ?? "");
    expect((await later.open("/link")).location).toBe("/prove?next=/link");
    expect((await later.follow("/link/with/elsewhere")).location).toBe("/link");
    const [identity] = await engines.control.access.identities.of(person.id);
    const path = `/v1/me/identities/${identity?.id}`;
    const refused = await later.call("DELETE", path, undefined, { origin: serve.url });
    expect(refused).toMatchObject({ status: 403, body: { code: "proof_required" } });
    expect(
      (await later.send("/link/remove", { id: `${identity?.id}` }, { origin: serve.url })).location,
    ).toBe("/prove?next=/link");
    expect((await browser.call("DELETE", path)).status).toBe(204);
  });

  test("is had by password on a page, and by a fresh sign-in elsewhere", async () => {
    const { browser, sub } = await linked();
    const page = await browser.open("/prove?next=%2Flink");
    expect(page.text).toContain('action="/prove"');
    expect(linksIn(page.text)).toEqual(["/prove/with/elsewhere?next=%2Flink"]);
    const before = await accountOf(browser);
    expect((await browser.send("/prove", { password: "wrong", next: "/link" })).status).toBe(401);
    expect((await accountOf(browser)).provenAt).toBe(before.provenAt);
    const session = browser.cookies.get("session");
    const proven = await browser.send("/prove", { password: PASSWORD, next: "/link" });
    expect([proven.status, proven.location]).toEqual([303, "/link"]);
    expect(browser.cookies.get("session")).not.toBe(session);
    const between = await accountOf(browser);
    expect(between.provenAt > before.provenAt).toBe(true);
    const left = await browser.follow("/prove/with/elsewhere?next=%2Flink");
    const asked = new URL(left.location ?? "").searchParams;
    expect([asked.get("prompt"), asked.get("max_age")]).toEqual(["login", "0"]);
    elsewhere.person = { ...elsewhere.person, sub };
    const back = pathOf(await elsewhere.approve(left.location ?? ""));
    const arrived = await browser.follow(back, "cross-site");
    expect([arrived.status, arrived.location]).toEqual([303, "/link"]);
    const after = await accountOf(browser);
    expect([after.provenAt > between.provenAt, after.sessionId]).toEqual([true, before.sessionId]);
  });

  test("is had by no old sign-in elsewhere, and by no account that is another's", async () => {
    const { browser, sub } = await linked();
    const { sub: others } = await linked();
    const { provenAt } = await accountOf(browser);
    elsewhere.misdeeds = { claims: (right) => ({ ...right, auth_time: (right.iat ?? 0) - 3_600 }) };
    const old = await through(browser, "/prove/with/elsewhere", sub);
    expect([old.status, old.text]).toEqual([401, expect.stringContaining("did not show that you have")]);
    elsewhere.misdeeds = {};
    const another = await through(browser, "/prove/with/elsewhere", others);
    expect([another.status, another.text]).toEqual([403, expect.stringContaining("is not linked to yours")]);
    const log = AuditAnswer.parse((await browser.call("GET", "/v1/me/security-log")).body);
    expect(log.entries.filter(({ action }) => action === "proof.failed")).toMatchObject([
      { after: { issuer: elsewhere.url } },
    ]);
    expect((await accountOf(browser)).provenAt).toBe(provenAt);
  });

  test("is for who is signed in", async () => {
    const browser = newBrowser();
    expect((await browser.open("/prove?next=%2Flink")).location).toBe("/sign-in?next=%2Flink");
    expect((await browser.send("/prove", { password: PASSWORD })).location).toBe("/sign-in?next=%2F");
    expect((await browser.follow("/prove/with/elsewhere")).location).toBe("/prove?next=%2F");
    expect((await browser.send("/prove/code", { code: "000000" })).location).toBe("/prove?next=%2F");
  });
});
