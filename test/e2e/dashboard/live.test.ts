import type { Page, Route } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { calledFrom } from "../../support/called-from.ts";
import { KEEPING_PAGES, launchChromium } from "../../support/chromium-process.ts";
import { openDashboard } from "../../support/dashboard.ts";
import { OWNER } from "../../support/first-owner.ts";
import { freePorts } from "../../support/free-ports.ts";
import { newestMail } from "../../support/people.ts";
import { Relay } from "../../support/relay.ts";
import { startService } from "../../support/service.ts";
import { until } from "../../support/until.ts";

const WithId = z.object({ id: z.string() });
const Stored = z.object({ readings: z.array(z.object({ at: z.string() })) });
/** One's own, where there is nothing but the demo. */
const CONNECT = /^Connect (a source|your own)$/;
const OWNERS_PAGES = ["OAuth clients", "Team", "Access requests", "Audit log"];
const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name }).click();
const strengthOf = async (page: Page, name: string): Promise<string> =>
  (await page.getByRole("row").filter({ hasText: name }).getByRole("cell").nth(2).textContent()) ?? "";
/** Of every row that is there, from the top. */
const strengthsOf = (page: Page): Promise<string[]> =>
  page.locator("[data-row] [role=cell]:nth-child(3)").allTextContents();
/** The strength of a signal is another than it was. */
const moved = (page: Page, name: string, from: string) =>
  until(`${name} to move`, async () => {
    const now = await strengthOf(page, name);
    return now !== from && now.includes("dBm") ? now : null;
  });

/** What the tiles of the wall say, from the first to the last. */
const tilesOf = async (page: Page): Promise<string> => {
  const tiles = page.getByRole("list", { name: /^All signals/ }).getByRole("listitem");
  return (await tiles.allTextContents()).join(", ");
};
/** Every pixel of a wall of cells. */
const pixelsOf = (page: Page): Promise<string> =>
  page.evaluate<string>("document.querySelector('main canvas').toDataURL()");

/** On `page` the wall stands still in a pause while it changes on `other`, and goes on after it. */
const isFrozenInPause = async (page: Page, other: Page, wallOf: (page: Page) => Promise<string>) => {
  const changed = (one: Page, from: string) =>
    until("the wall to be another", async () => (await wallOf(one)) !== from);
  for (const one of [page, other]) await changed(one, await wallOf(one));
  await page.bringToFront();
  await page.keyboard.press("Space");
  await page.getByText("Frozen.").waitFor();
  const wall = await wallOf(page);
  await other.bringToFront();
  for (let n = 0; n < 3; n++) await changed(other, await wallOf(other));
  await page.bringToFront();
  expect(await wallOf(page)).toBe(wall);
  await button(page, "Go on");
  await changed(page, wall);
};

/** A dashboard whose connections to its service can be cut. */
const openOverCable = async () => {
  const relay = Promise.withResolvers<Relay>();
  const opened = await openDashboard({}, async (service) => {
    const cable = await Relay.start(service);
    relay.resolve(cable);
    return cable.url;
  });
  return { ...opened, cable: await relay.promise };
};

test("what is live says when it is not, and goes on when the service is there again", async () => {
  const [port = 0] = await freePorts(1);
  const environment = { PORT: String(port) };
  const { page, service, dataDirectory, complaints, outside } = await openDashboard(environment);
  await page.getByRole("link", { name: "Signals", exact: true }).click();
  await page.getByRole("row").filter({ hasText: "demo-01" }).getByText("dBm").waitFor();
  await moved(page, "demo-01", await strengthOf(page, "demo-01"));
  await service.end("SIGKILL");
  await page.getByText("The live connection is lost").waitFor();
  const { service: again } = await startService({ dataDirectory, environment });
  await again.ready();
  await page.getByText("The live connection is lost").waitFor({ state: "detached" });
  await moved(page, "demo-01", await strengthOf(page, "demo-01"));
  expect(outside).toEqual([]);
  // The browser itself tells of connections that it could not make.
  expect(complaints.filter((complaint) => !/ERR_|WebSocket/.test(complaint))).toEqual([]);
});

test("what came while the connection was cut is filled in, once each, and nothing is drawn over it before", async () => {
  const { page, url, outside, cable } = await openOverCable();
  await page.goto(`${url}/signals`);
  await page.getByRole("link", { name: "demo-01" }).click();
  await page.waitForURL(/signals\/sig_/);
  // So short that it is shown by the reading.
  await page.goto(`${page.url()}?last=5m`);
  await page.getByText("The newest as a table").click();
  const rows = page.getByRole("table", { name: "Strength over time" }).locator("tbody tr");
  /** What the table says, in the order of time: at which second of the hour, and whether there is a strength. */
  const told = async () => {
    const cells = (await rows.allInnerTexts()).map((text) => text.split("\t"));
    return cells
      .map(([time = "", value]) => {
        const [, minute, second] = /:(\d\d):(\d\d)\s[AP]M$/.exec(time) ?? [];
        return { second: Number(minute) * 60 + Number(second), isReading: value !== "no readings" };
      })
      .toReversed();
  };
  await until("readings", async () => (await told()).length > 3);
  cable.down();
  await page.getByText("The live connection is lost").waitFor();
  await page.getByText(/is 30 s old/).waitFor({ timeout: 60_000 });
  // What fills the gap comes only once it was seen.
  const seen = Promise.withResolvers<void>();
  await page.route(/\/readings\?/, async (route) => {
    await seen.promise;
    await route.continue();
  });
  cable.up();
  await page.getByText("The live connection is lost").waitFor({ state: "detached" });
  await until("the gap to be one", async () => (await told()).some(({ isReading }) => !isReading));
  seen.resolve();
  // The demo sends a reading a second of each signal.
  const apart = (one: number, next: number) => (next - one + 3_600) % 3_600;
  const all = await until("the gap to be filled", async () => {
    const now = await told();
    const isWhole = now.every(
      ({ second, isReading }, n) => isReading && apart(now[n - 1]?.second ?? second, second) <= 3,
    );
    return now.length > 30 && isWhole ? now : null;
  });
  // Each once, as they are stored.
  const [from, to] = [all[2]?.second ?? 0, all.at(-6)?.second ?? 0];
  const isBetween = (second: number) => apart(from, second) <= apart(from, to);
  const since = new Date(Date.now() - 300_000).toISOString();
  const id = new URL(page.url()).pathname.split("/").at(-1);
  const path = `/v1/signals/${id}/readings?step=raw&limit=500&from=${since}`;
  const stored = (await calledFrom(page, Stored, "GET", path)).readings.map(
    ({ at }) => Math.floor(Date.parse(at) / 1_000) % 3_600,
  );
  expect(all.map(({ second }) => second).filter(isBetween)).toEqual(stored.filter(isBetween));
  expect(outside).toEqual([]);
});

test("a page that is left open takes the new version of the service, but not over what is typed", async () => {
  const { page, url, outside, cable } = await openOverCable();
  await page.clock.install();
  await page.goto(`${url}/alerts/rules/new`);
  const name = page.getByLabel("Name", { exact: true });
  const before = await name.inputValue();
  const stranger = page.getByText("The service has a new version.");
  await page.getByText(/^1h: /).waitFor();
  await page.route("**/signals", async (route) => {
    const answer = await route.fetch();
    const body = (await answer.text()).replaceAll(
      /\/dashboard\/index-[\w-]+\.js/g,
      "/dashboard/index-other.js",
    );
    await route.fulfill({ response: answer, body });
  });
  cable.cut();
  await stranger.waitFor();
  await name.fill("Typed for an hour");
  await page.clock.fastForward("10:00");
  await page.clock.fastForward("10:00");
  expect(await name.inputValue()).toBe("Typed for an hour");
  await name.fill(before);
  const again = page.waitForEvent("load");
  await page.clock.fastForward("10:00");
  await again;
  await name.waitFor();
  expect(await stranger.count()).toBe(0);
  expect(outside).toEqual([]);
});

test("a page whose part the service no longer has is the new one of the service", async () => {
  const { page, url } = await openDashboard();
  await page.goto(`${url}/settings/security`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  let missed = 0;
  await page.route("**/dashboard/versions-*.js", async (route) => {
    missed++;
    if (missed === 1) await route.fulfill({ status: 404, body: "" });
    else await route.continue();
  });
  await page.getByRole("link", { name: "Versions" }).click();
  await page.getByRole("heading", { level: 1, name: "Versions" }).waitFor();
  expect(missed).toBe(2);
});

test("a pause freezes what is shown, and what came meanwhile is there at its end", async () => {
  const { page, context, url } = await openDashboard();
  await page.goto(`${url}/signals`);
  const other = await context.newPage();
  await other.goto(`${url}/signals`);
  await moved(page, "demo-02", await strengthOf(page, "demo-02"));
  await page.bringToFront();
  await page.getByRole("heading", { name: "Signals" }).click();
  await page.keyboard.press("Space");
  await page.getByText("Frozen.").waitFor();
  const frozen = await strengthOf(page, "demo-02");
  const all = await strengthsOf(page);
  expect(all.length).toBeGreaterThan(10);
  await other.bringToFront();
  for (let n = 0; n < 3; n++) await moved(other, "demo-02", await strengthOf(other, "demo-02"));
  await page.bringToFront();
  expect(await strengthsOf(page)).toEqual(all);
  await page.getByText(/^What is shown is \d+ s old\.$/).waitFor();
  await button(page, "Go on");
  await moved(page, "demo-02", frozen);

  for (const one of [page, other]) {
    await one.goto(url);
    await one.getByRole("link", { name: /^demo-02 .* dBm/ }).waitFor();
  }
  expect(await page.locator("main canvas").count()).toBe(0);
  await isFrozenInPause(page, other, tilesOf);

  const many = { type: "simulator", name: "Many", signals: 300, readingsPerSecond: 300 };
  await calledFrom(page, WithId, "POST", "/v1/integrations/sources", many);
  for (const one of [page, other]) await one.locator("main canvas").waitFor();
  await isFrozenInPause(page, other, pixelsOf);
});

const signIn = async (page: Page, email: string, password: string) => {
  await page.getByLabel("E-mail address").fill(email);
  await page.getByLabel("Password").fill(password);
  await button(page, "Sign in");
};
const signOut = async (page: Page, email: string) => {
  await button(page, email);
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.waitForURL(/sign-in/);
};

const THEIR_PASSWORD = "nine slow foxes on a roof";

/** Lets somebody in by the page of the team, and gives them as they are signed in, in a browser of their own. */
const letIn = async (page: Page, url: string, email: string, role: string): Promise<Page> => {
  await page.goto(`${url}/settings/team`);
  await page.getByLabel("E-mail address").fill(email);
  await page.getByLabel("Role", { exact: true }).selectOption(role);
  await button(page, "Invite");
  await page.getByRole("list", { name: "Invitations" }).getByText(email).waitFor();
  const mail = await until("the invitation", () => newestMail(url, email));
  const browser = page.context().browser();
  if (browser === null) throw new Error("the browser is gone");
  const theirs = await (await browser.newContext()).newPage();
  await theirs.goto(url + mail.path);
  await theirs.getByRole("button").first().click();
  await theirs.getByLabel("Password").fill(THEIR_PASSWORD);
  await theirs.getByRole("button").first().click();
  await until("them to be in", async () => ["/", "/sign-in"].includes(new URL(theirs.url()).pathname));
  if (new URL(theirs.url()).pathname === "/sign-in") await signIn(theirs, email, THEIR_PASSWORD);
  await theirs.getByRole("heading", { name: "Overview" }).waitFor();
  return theirs;
};

test("a session that ends in the middle of a form loses nothing that was typed, and goes on with whose it is alone", async () => {
  const { page, context, url } = await openDashboard();
  const vera = "vera@example.org";
  await letIn(page, url, vera, "editor");
  await page.goto(`${url}/alerts/rules/new`);
  await page.getByLabel("Name", { exact: true }).fill("Typed for an hour");
  const other = await context.newPage();
  await other.goto(url);
  await signOut(other, OWNER.email);
  // Told by the live connection, without anything that is asked for.
  const dialog = page.getByRole("dialog", { name: "You are signed out" });
  await dialog.waitFor();
  const refused = page.waitForResponse((answer) => answer.status() === 401);
  await page.locator("main [type=submit]").dispatchEvent("click");
  await refused;
  const goOn = async () => {
    await page.bringToFront();
    await dialog.getByRole("button", { name: "Go on" }).click();
  };
  await goOn();
  await dialog.getByText("You are not signed in yet.").waitFor();
  await other.bringToFront();
  await signIn(other, vera, THEIR_PASSWORD);
  await other.waitForURL(`${url}/`);
  await goOn();
  await dialog.getByText(`This page is not of ${vera}`).waitFor();
  await other.bringToFront();
  await signOut(other, vera);
  await goOn();
  await dialog.getByText("You are not signed in yet.").waitFor();
  expect(await dialog.getByText(vera).count()).toBe(0);
  await other.bringToFront();
  await signIn(other, OWNER.email, OWNER.password);
  await other.waitForURL(`${url}/`);
  await goOn();
  await dialog.waitFor({ state: "detached" });
  expect(await page.locator("main [role=alert]").allTextContents()).toEqual([]);
  expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("Typed for an hour");
  await button(page, "Create the rule");
  await page.getByRole("list", { name: "Rules" }).getByText("Typed for an hour").waitFor();
  // And what is live is live again.
  await page
    .getByRole("navigation", { name: "Main" })
    .getByRole("link", { name: "Signals", exact: true })
    .click();
  await moved(page, "demo-01", await strengthOf(page, "demo-01"));
});

test("who goes back to a page goes on with it, and to nothing of the account once they are signed out", async () => {
  const { url } = await openDashboard();
  const browser = await launchChromium(KEEPING_PAGES);
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  await page.goto(`${url}/sign-in?next=/signals`);
  await signIn(page, OWNER.email, OWNER.password);
  await moved(page, "demo-01", await strengthOf(page, "demo-01"));
  await page.evaluate("globalThis.isKept = true");
  const back = () => page.goBack({ waitUntil: "commit" });
  await page.goto(`${url}/health/live`);
  await back();
  await page.getByRole("heading", { level: 1, name: "Signals" }).waitFor();
  expect(await page.evaluate("globalThis.isKept")).toBe(true);
  await moved(page, "demo-01", await strengthOf(page, "demo-01"));

  const asked = Promise.withResolvers<Route>();
  await page.route("**/v1/me", (route) => asked.resolve(route), { times: 1 });
  await page.goto(`${url}/health/live`);
  await page.context().clearCookies();
  await back();
  const who = await asked.promise;
  expect(await page.evaluate("[globalThis.isKept, document.body.innerText.trim()]")).toEqual([true, ""]);
  await who.continue();
  await page.waitForURL(/sign-in\?next=/);

  await signIn(page, OWNER.email, OWNER.password);
  await page.getByRole("link", { name: "demo-01" }).click();
  await page.getByRole("heading", { level: 1, name: "demo-01" }).waitFor();
  await signOut(page, OWNER.email);
  await back();
  await page.waitForURL(/sign-in\?next=/);
});

test("an owner lets others in: a viewer sees all but what only others may do, an editor may change all but who is in", async () => {
  const { page, url } = await openDashboard();
  const vera = await letIn(page, url, "vera@example.org", "viewer");
  await vera.goto(`${url}/alerts/rules/new`);
  await vera.getByText("You may look at rules and try them").waitFor();
  await vera.getByText(/^1h: /).waitFor();
  expect(await vera.getByRole("button", { name: "Create the rule" }).count()).toBe(0);
  await vera.goto(`${url}/settings/integrations`);
  await vera.getByRole("list", { name: "Sources" }).waitFor();
  expect(await vera.getByRole("link", { name: CONNECT }).count()).toBe(0);
  const mapping = { signal: "$.device", strength: "$.radio.rssi" };
  const pushed = { type: "push", name: "Pushed", mapping };
  const { id } = await calledFrom(page, WithId, "POST", "/v1/integrations/sources", pushed);
  await vera.goto(`${url}/settings/integrations/${id}`);
  await vera.getByRole("region", { name: "The mapping" }).getByText("$.radio.rssi").waitFor();
  expect(await vera.getByRole("button", { name: "Save the mapping" }).count()).toBe(0);
  await vera.goto(`${url}/settings/webhooks`);
  await vera.getByRole("heading", { level: 1, name: "Webhooks" }).waitFor();
  expect(await vera.getByRole("link", { name: "New webhook" }).count()).toBe(0);

  const edda = await letIn(page, url, "edda@example.org", "editor");
  await edda.goto(`${url}/alerts/rules/new`);
  await edda.getByLabel("Name", { exact: true }).fill("By Edda");
  await button(edda, "Create the rule");
  await edda.getByRole("list", { name: "Rules" }).getByText("By Edda").waitFor();
  await edda.goto(`${url}/settings/integrations`);
  await edda.getByRole("link", { name: CONNECT }).first().waitFor();

  for (const other of [vera, edda]) {
    for (const name of OWNERS_PAGES) expect(await other.getByRole("link", { name }).count()).toBe(0);
    for (const path of ["oauth-clients", "team", "access-requests", "audit-log"]) {
      await other.goto(`${url}/settings/${path}`);
      await other.getByRole("main").getByText("ask an owner of the account").waitFor();
      expect(await other.getByRole("main").getByRole("button").count()).toBe(0);
    }
    expect(await other.getByRole("alert").count()).toBe(0);
    // Keys of one's own, which may do no more than oneself.
    await other.goto(`${url}/settings/api-keys`);
    // Above the keys, and where there are none yet once more.
    await other.getByRole("button", { name: "New key" }).first().click();
    await other.getByLabel("look", { exact: true }).waitFor();
    expect(await other.getByLabel("look and change").count()).toBe(other === edda ? 1 : 0);
    expect(await other.getByLabel("everything, keys too").count()).toBe(0);
  }
  // What is taken from somebody is taken at once.
  await page.goto(`${url}/settings/team`);
  await page.getByLabel("Role of edda@example.org", { exact: true }).selectOption("viewer");
  await button(page, "Change the role of edda@example.org");
  await until("Edda to be a viewer", async () => {
    await edda.goto(`${url}/alerts/rules/new`);
    const looks = edda.getByText("You may look at rules and try them");
    await looks
      .or(edda.getByRole("button", { name: "Create the rule" }))
      .first()
      .waitFor();
    return (await looks.count()) > 0;
  });
});
