import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { z } from "zod";
import { calledFrom } from "../../support/called-from.ts";
import { barriersOf, isSound, openDashboard } from "../../support/dashboard.ts";
import { until } from "../../support/until.ts";

const WithId = z.object({ id: z.string() });
const Found = z.object({ signals: z.array(WithId.extend({ name: z.string() })) });

const firingOn = (page: Page) => page.getByRole("region", { name: "Alerts that fire" });

/** A rule that fires at the next reading of every signal of the demo, and tells no webhook. */
const letFire = (page: Page) =>
  calledFrom(page, WithId, "POST", "/v1/alerts/rules", {
    name: "Weak antenna",
    select: {},
    condition: { operator: "below", value: -20 },
    notify: { webhookIds: [], emails: ["ops@example.org"] },
  });

test("alerts that cannot be asked for anew are said to be old, until they can", async () => {
  const { page, outside, complaints } = await openDashboard();
  await letFire(page);
  const alert = firingOn(page).getByRole("link", { name: "Weak antenna" }).first();
  await alert.waitFor();
  const detail = "The storage does not answer.";
  const problem = {
    type: "about:blank",
    title: "Service Unavailable",
    status: 503,
    code: "storage_unavailable",
    detail,
    requestId: "one",
  };
  await page.route("**/v1/alerts?*", (route) =>
    route.fulfill({
      status: 503,
      contentType: "application/problem+json",
      body: JSON.stringify(problem),
    }),
  );
  const old = firingOn(page)
    .getByRole("status")
    .filter({ hasText: /not renewed since \d+ s/ });
  await old.waitFor({ timeout: 60_000 });
  expect(await alert.isVisible()).toBe(true);
  expect(await page.getByText("The live connection is lost").count()).toBe(0);
  expect(await barriersOf(page)).toEqual([]);
  // It is asked again by itself, too: pressed once it can be, the button may be gone.
  const asked = page.waitForRequest("**/v1/alerts?*");
  await old.getByRole("button", { name: "Try again" }).click();
  await asked;
  await page.unroute("**/v1/alerts?*");
  await old.waitFor({ state: "detached" });

  expect(outside).toEqual([]);
  expect(complaints.filter((complaint) => !/status of 503/.test(complaint))).toEqual([]);
});

test("of what a rule that names no webhook does not mail, nobody is said to be told", async () => {
  const { page, outside, complaints } = await openDashboard();
  await letFire(page);
  await firingOn(page).getByRole("link", { name: "Weak antenna" }).first().click();
  const told = page.getByRole("region", { name: "Who was told" });
  await told.getByText("ops@example.org").waitFor();
  await page.getByRole("button", { name: "Take it on" }).click();
  const question = page.getByRole("dialog", { name: "Take this alert on" });
  await question.getByRole("button", { name: "Take it on" }).click();
  await told.getByText("its rule tells nobody of it").waitFor();
  expect(outside).toEqual([]);
  expect(complaints).toEqual([]);
});

test("keys lead to alerts, to a new rule, and to a search where the page has none; so does a button", async () => {
  const { page, url, outside, complaints } = await openDashboard();
  await letFire(page);
  await firingOn(page).getByRole("link", { name: "Weak antenna" }).first().waitFor();
  await page.keyboard.press("j");
  const focused = firingOn(page).getByRole("link").and(page.locator(":focus"));
  await until("an alert to have the focus", async () => (await focused.count()) === 1);

  const palette = page.getByRole("dialog", { name: "Go to" });
  await page.keyboard.press("/");
  await palette.waitFor();
  await page.keyboard.press("Escape");
  await palette.waitFor({ state: "detached" });
  await page.getByRole("banner").getByRole("button", { name: "Search" }).click();
  await palette.getByRole("combobox").fill("demo-04");
  await palette.getByRole("option", { name: "demo-04" }).click();
  await page.getByRole("heading", { level: 1, name: "demo-04" }).waitFor();
  expect(await palette.count()).toBe(0);

  await page.keyboard.press("g");
  await page.keyboard.press("a");
  await page.getByRole("heading", { level: 1, name: "Alerts" }).waitFor();
  await page.getByRole("link", { name: "New rule" }).waitFor();
  await page.keyboard.press("n");
  await page.waitForURL(`${url}/alerts/rules/new`);
  expect(outside).toEqual([]);
  expect(complaints).toEqual([]);
});

test("in a narrow window alerts that fire come first, and nothing is wider than it", async () => {
  const { page, complaints } = await openDashboard();
  const topOf = async (name: string) =>
    (await page.getByRole("region", { name, exact: true }).boundingBox())?.y ?? Number.NaN;
  await page.getByRole("button", { name: "Open the worst" }).waitFor();
  // Above both, and there once it is known.
  await page.getByText("These signals are a demo.").waitFor();
  expect(await topOf("Alerts that fire")).toBe(await topOf("Signals"));
  for (const width of [900, 360]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await topOf("Alerts that fire")).toBeLessThan(await topOf("Signals"));
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
  }
  expect(complaints).toEqual([]);
});

const wallOn = (page: Page) => page.getByRole("list", { name: "All signals, the worst first" });
const wallAt = async (page: Page) => {
  const box = await wallOn(page).boundingBox();
  if (box === null) throw new Error("the wall is not to be seen");
  return box;
};

/** What of the tiles lacks room, once they are laid out anew. */
const CUT_OFF = `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(
  [...document.querySelectorAll('main li a span')]
    .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
    .map(({ textContent }) => textContent)))))`;

test("few signals fill the wall with a tile each, which says all of it and leads to its signal by keys", async () => {
  const { page, outside, complaints } = await openDashboard();
  await letFire(page);
  const tile = (status: string) =>
    wallOn(page).getByRole("link", { name: new RegExp(`^demo-\\d\\d −\\d+\\.\\d dBm ${status}$`) });
  await until("every signal to be failed", async () => (await tile("✕? ?failed").count()) === 20);
  const { width, height } = await wallAt(page);
  expect(width * height).toBeGreaterThan(500 * 250);
  for (const windowWidth of [1280, 900, 360]) {
    await page.setViewportSize({ width: windowWidth, height: 720 });
    const cut = await page.evaluate<string[]>(CUT_OFF);
    expect([windowWidth, cut]).toEqual([windowWidth, []]);
  }
  await page.setViewportSize({ width: 1280, height: 720 });
  expect(await barriersOf(page)).toEqual([]);
  const first = wallOn(page).getByRole("link").first();
  await first.focus();
  await page.keyboard.press("j");
  const focused = wallOn(page).getByRole("link").and(page.locator(":focus"));
  const [name = ""] = /^demo-\d\d/.exec((await focused.textContent()) ?? "") ?? [];
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name }).waitFor();
  expect(outside).toEqual([]);
  expect(complaints).toEqual([]);
});

test("the tip of a cell is beside the pointer while what is live is old, and says when its signal is deleted", async () => {
  const dashboard = await openDashboard();
  const { page } = dashboard;
  await page.getByRole("button", { name: "Open the worst" }).waitFor();
  await page.evaluate(`document.querySelector("main").style.filter = "grayscale(0.7)"`);
  const { x: left, y: top } = await wallAt(page);
  const [x, y] = [left + 4, top + 4];
  await page.mouse.move(x, y);
  const tip = page.locator("body > div").filter({ hasText: /^demo-\d+● / });
  const at = await tip.boundingBox();
  expect(Math.abs((at?.x ?? 0) - x)).toBeLessThan(20);
  expect(Math.abs((at?.y ?? 0) - y)).toBeLessThan(20);
  const name = (await tip.locator("strong").textContent()) ?? "";
  const { signals } = await calledFrom(page, Found, "GET", `/v1/signals?q=${name}`);
  const id = signals.find((signal) => signal.name === name)?.id;
  await page.evaluate((path) => fetch(path, { method: "DELETE" }), `/v1/signals/${id}`);
  await page
    .locator("body > div")
    .filter({ hasText: `${name}deleted` })
    .waitFor();
  // What happens to another signal in the moment of the deletion has it asked for once more.
  isSound(dashboard, new RegExp(`404 .*/v1/signals/${id}$`));
});
