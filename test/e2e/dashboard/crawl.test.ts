import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import { z } from "zod";
import { calledFrom } from "../../support/called-from.ts";
import { openDashboard } from "../../support/dashboard.ts";

/** What would end the crawl: everything else is pressed, and what asks before it acts is left at its question. */
const ENDS_IT = /Sign out|Turn keys off|Remove the demo|Sign out everywhere/;
/** What ends a question, and does nothing. */
const HARMLESS = /^(Cancel|Stay)$/;
const WithId = z.object({ id: z.string() });
const ID = /[a-z]{3,4}_[0-9A-Z]{26}/g;
/** What the API refuses, such as an empty form, the browser notes as well: but not that it was asked too often. */
const REFUSED = /status of 4(?!29)\d\d .*:\/\/[^/]+\/v1\//;

const shapeOf = (path: string): string => path.replace(ID, ":id").replace(/\?.*/, "");

const SOON = { timeout: 5_000 };
/** Null: it is gone since it was counted, such as what is asked of an alert that has resolved meanwhile. */
const unlessGone = async <T>(control: Locator, act: () => Promise<T>): Promise<T | null> => {
  try {
    return await act();
  } catch (error) {
    if ((await control.count()) > 0) throw error;
    return null;
  }
};

test("whatever is pressed on any page, no policy is violated, nothing breaks, and no request leaves the host", async () => {
  const { page, url, outside, complaints } = await openDashboard();
  await page.addInitScript(`document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
    console.error("policy", violatedDirective, blockedURI))`);
  const source = { type: "push", name: "Pushed" };
  const push = await calledFrom(page, WithId, "POST", "/v1/integrations/sources", source);
  const events = ["alert.firing"];
  const hook = { url: "https://hooks.example/signals", name: "Pager", events };
  await calledFrom(page, WithId, "POST", "/v1/integrations/webhooks", hook);
  const violations: string[] = [];
  // Pages of sources differ by what they are; of each other kind of page one is looked at.
  const waiting = ["/", `/settings/integrations/${push.id}`];
  const met = new Set(waiting);
  let pressed = 0;
  let answered = 0;
  let chosen = 0;
  let chosenOnPages = 0;
  const open = async (path: string) => {
    await page.goto(url + path);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.waitForLoadState("networkidle");
  };
  const look = async (path: string, words: string) => {
    if ((await page.getByText("This page is broken").count()) > 0) violations.push(`${path} ${words}`);
  };
  /** From the last to the first: the first choice of each kind is as it was. */
  const pressMenu = async () => {
    const menu = page.locator("header button[aria-haspopup=menu]");
    const items = page.locator("[role=menu] [role^=menuitem]");
    await open("/");
    await menu.click();
    await items.first().waitFor();
    for (let n = (await items.count()) - 1; n >= 0; n--) {
      const item = items.nth(n);
      if (!(await item.isVisible())) await menu.click();
      const words = (await item.textContent()) ?? "";
      if (ENDS_IT.test(words)) continue;
      await item.click({ timeout: 5_000 });
      chosen++;
      await page.waitForLoadState("networkidle");
      await look("the menu", words);
    }
  };
  const press = async (path: string, control: Locator) => {
    const found = await unlessGone(control, async () => ({
      words: (await control.textContent(SOON)) ?? "",
      isUsable: (await control.isVisible()) && (await control.isEnabled(SOON)),
      opens: await control.getAttribute("aria-haspopup", SOON),
    }));
    if (found === null || ENDS_IT.test(found.words) || !found.isUsable) return;
    const { words, opens } = found;
    const isPressed = await unlessGone(control, async () => {
      await control.click(SOON);
      return true;
    });
    if (isPressed === null) return;
    pressed++;
    await page.waitForLoadState("networkidle");
    if (opens === "menu") await page.getByRole("menu").waitFor();
    // Or the rest of the page would be pressed while it stands still.
    if (words === "Freeze view") await control.click({ timeout: 5_000 });
    await look(path, words);
    const harmless = page.getByRole("dialog").getByRole("button", { name: HARMLESS });
    if ((await harmless.count()) > 0) {
      await harmless.first().click({ timeout: 5_000 });
      answered++;
      await look(path, words);
    }
    await page.keyboard.press("Escape");
    if (new URL(page.url()).pathname !== path.replace(/\?.*/, "")) await open(path);
  };
  const choose = async (choice: Locator): Promise<boolean> => {
    if ((await choice.getAttribute("role")) === "slider") await choice.press("ArrowUp");
    else if ((await choice.locator("option").count()) > 1) {
      const last = choice.locator("option").last();
      await choice.selectOption((await last.getAttribute("value")) ?? "");
    } else if ((await choice.getAttribute("type")) !== null) await choice.dispatchEvent("click");
    else return false;
    return true;
  };
  /** Whatever can be chosen on a page, one after the other: each may bring others. What is typed is left with the page. */
  const chooseAll = async (path: string) => {
    await open(path);
    const choices = page.locator("main :is([type=radio], [type=checkbox], select, [role=slider])");
    for (let n = 0; n < (await choices.count()); n++) {
      const choice = choices.nth(n);
      if (!(await choice.isVisible()) || !(await choice.isEnabled()) || !(await choose(choice))) continue;
      chosenOnPages++;
      await page.waitForLoadState("networkidle");
      await look(path, `choice ${n}`);
    }
  };
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    await open(path);
    for (const link of await page.locator("a[href^='/']").all()) {
      const to = (await link.getAttribute("href")) ?? "/";
      if (met.has(shapeOf(to)) || to.startsWith("/docs") || to.startsWith("/v1")) continue;
      met.add(shapeOf(to));
      waiting.push(to);
    }
    const controls = page.locator("main button, main summary, header button");
    for (let n = 0; n < (await controls.count()); n++) await press(path, controls.nth(n));
    await chooseAll(path);
  }
  await pressMenu();
  expect(met.size).toBeGreaterThan(18);
  expect(pressed).toBeGreaterThan(60);
  expect(answered).toBeGreaterThan(2);
  expect(chosen).toBe(8);
  expect(chosenOnPages).toBeGreaterThan(40);
  expect(violations).toEqual([]);
  expect(outside).toEqual([]);
  expect(complaints.filter((complaint) => !REFUSED.test(complaint))).toEqual([]);
});
