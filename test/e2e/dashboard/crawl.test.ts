import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import { openDashboard } from "../../support/dashboard.ts";

/** What would end the crawl: everything else is pressed, and what asks before it acts is left at its question. */
const ENDS_IT = /Sign out|Turn keys off|Remove the demo|Sign out everywhere/;
const ID = /[a-z]{3,4}_[0-9A-Z]{26}/g;
/** What a page refuses, such as an empty form, the browser notes as well. */
const REFUSED = /status of 4\d\d/;

const shapeOf = (path: string): string => path.replace(ID, ":id").replace(/\?.*/, "");

test("whatever is pressed on any page, no policy is violated, nothing breaks, and no request leaves the host", async () => {
  const { page, url, outside, complaints } = await openDashboard();
  await page.addInitScript(`document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
    console.error("policy", violatedDirective, blockedURI))`);
  const violations: string[] = [];
  const waiting = ["/"];
  const met = new Set(waiting);
  let pressed = 0;
  const open = async (path: string) => {
    await page.goto(url + path);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.waitForLoadState("networkidle");
  };
  const press = async (path: string, control: Locator) => {
    const words = (await control.textContent()) ?? "";
    if (ENDS_IT.test(words) || !(await control.isVisible()) || !(await control.isEnabled())) return;
    await control.click({ timeout: 5_000 });
    pressed++;
    await page.waitForLoadState("networkidle");
    if ((await page.getByText("This page is broken").count()) > 0) violations.push(`${path} ${words}`);
    await page.keyboard.press("Escape");
    if (new URL(page.url()).pathname !== path.replace(/\?.*/, "")) await open(path);
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
  }
  expect(met.size).toBeGreaterThan(18);
  expect(pressed).toBeGreaterThan(60);
  expect(violations).toEqual([]);
  expect(outside).toEqual([]);
  expect(complaints.filter((complaint) => !REFUSED.test(complaint))).toEqual([]);
});
