import { Secret, TOTP } from "otpauth";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { z } from "zod";
import { Api } from "../../support/api.ts";
import { calledFrom } from "../../support/called-from.ts";
import { barriersOf, isSound, openDashboard } from "../../support/dashboard.ts";
import { OWNER } from "../../support/first-owner.ts";
import { HANDS } from "../../support/hands.ts";
import { until } from "../../support/until.ts";

const WithKey = z.object({ key: z.string() });
const COLORS = ["light", "dark"] as const;
/** What is hard to use for somebody about what is shown, light and dark. */
const barriersIn = async (page: Page): Promise<string[]> => {
  const barriers: string[] = [];
  for (const colorScheme of COLORS) {
    await page.emulateMedia({ colorScheme });
    barriers.push(...(await barriersOf(page)).map((barrier) => `${colorScheme} ${page.url()} ${barrier}`));
  }
  return barriers;
};

test("by keyboard alone, a key for programs is made, used, and revoked", async () => {
  const { page, url, outside, complaints } = await openDashboard();
  const hands = HANDS.keyboard(page);
  const button = (name: string | RegExp) => page.getByRole("button", { name });
  await page.goto(`${url}/settings/api-keys`);
  await page.getByRole("heading", { level: 1, name: "API Keys" }).waitFor();
  await page.keyboard.press("n");
  await hands.write(page.getByLabel("Name", { exact: true }), "Wallboard");
  await hands.press(page.getByLabel("look and change"));
  await hands.press(button("Create the key"));
  const shown = page.getByRole("status").filter({ hasText: "Copy the API key now." });
  const key = (await shown.locator("code").textContent()) ?? "";
  expect(await barriersIn(page)).toEqual([]);
  const asked = (path: string) =>
    fetch(url + path, { headers: { authorization: `Bearer ${key}` } }).then(({ status }) => status);
  expect(await asked("/v1/signals")).toBe(200);
  expect(await asked("/v1/api-keys")).toBe(403);
  await hands.press(button("I have it"));
  const item = page.getByRole("list", { name: "API keys" }).getByRole("listitem");
  const own = item.filter({ hasText: "Wallboard" });
  await own.getByText("read, write").waitFor();
  expect(await page.content()).not.toContain(key);
  await hands.press(button("Revoke Wallboard"));
  const question = page.getByRole("dialog", { name: "Revoke “Wallboard”?" });
  await hands.press(question.getByRole("button", { name: "Revoke the key" }));
  await own.waitFor({ state: "detached" });
  await until("the key to be refused", async () => (await asked("/v1/signals")) === 401);
  expect(outside).toEqual([]);
  expect(complaints).toEqual([]);
});

test("by keyboard alone, a second factor is set up, asked for at the next sign-in, and turned off", async () => {
  const { page, url, outside, complaints } = await openDashboard();
  const hands = HANDS.keyboard(page);
  const button = (name: string | RegExp) => page.getByRole("button", { name });
  const part = page.getByRole("region", { name: "Second factor" });
  const barriers: string[] = [];
  const look = async () => void barriers.push(...(await barriersIn(page)));
  await page.goto(`${url}/settings/security`);
  await part.getByText("Signing in takes your password alone.").waitFor();
  await hands.press(button("Set it up"));
  await page.getByRole("img", { name: /^QR code/ }).waitFor();
  const code = page.getByLabel("The code that it shows");
  await hands.write(code, "12");
  await hands.press(button("Turn it on"));
  await until("the code to be refused", async () => (await code.getAttribute("aria-invalid")) === "true");
  await look();
  const secret = (await part.getByRole("paragraph").locator("code").first().textContent()) ?? "";
  await hands.write(code, new TOTP({ secret: Secret.fromBase32(secret) }).generate());
  await hands.press(button("Turn it on"));
  const codes = part.getByRole("list", { name: "Recovery codes" }).getByRole("listitem");
  await codes.first().waitFor();
  const [first = "", ...others] = await codes.allTextContents();
  await look();
  await hands.press(button("I have them"));
  await part.getByText(`${others.length + 1} recovery codes are left.`).waitFor();
  expect(await page.content()).not.toContain(first);

  await hands.press(page.locator("header button[aria-haspopup=menu]"));
  await page.getByRole("menu").and(page.locator(":focus-within")).waitFor();
  for (let step = 0; step < 20; step++) {
    if ((await page.getByRole("menuitem", { name: "Sign out" }).and(page.locator(":focus")).count()) > 0)
      break;
    await page.keyboard.press("ArrowDown");
  }
  await page.keyboard.press("Enter");
  await page.waitForURL(/sign-in/);
  await hands.write(page.getByLabel("E-mail address"), OWNER.email);
  await hands.write(page.getByLabel("Password"), OWNER.password);
  await hands.press(button("Sign in"));
  await page.getByRole("heading", { level: 1, name: "Enter a code" }).waitFor();
  await look();
  await hands.write(page.getByLabel("Code"), "000000");
  await hands.press(button("Go on"));
  await page.getByRole("alert").waitFor();
  await look();
  await hands.write(page.getByLabel("Code"), first);
  await hands.press(button("Go on"));
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();

  await page.goto(`${url}/settings/security`);
  await part.getByText(`${others.length} recovery codes are left.`).waitFor();
  await look();
  await hands.press(part.getByRole("button", { name: "Turn it off" }));
  const question = page.getByRole("dialog", { name: "Turn the second factor off?" });
  await hands.press(question.getByRole("button", { name: "Turn it off" }));
  await part.getByText("Signing in takes your password alone.").waitFor();
  expect(barriers).toEqual([]);
  expect(outside).toEqual([]);
  expect(complaints.filter((complaint) => !/status of 40[01]/.test(complaint))).toEqual([]);
});

test("whoever has no second factor asks nobody for one, and is led to setting it up where it is asked for", async () => {
  const { page, url, ...seen } = await openDashboard();
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  await page.goto(`${url}/settings/team`);
  const asks = page.getByLabel("Everybody needs a second factor here");
  await page.getByText("You have none yourself").waitFor();
  expect(await asks.isDisabled()).toBe(true);
  const { key } = await calledFrom(page, WithKey, "POST", "/v1/api-keys", {
    name: "Admin",
    scopes: ["admin"],
  });
  await page.goto(url);
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  // By a program: it is told by the live connection, which ends.
  await new Api(url, key).expect(z.object({}), "PATCH", "/v1/account", { secondFactorRequired: true });
  await page.getByRole("heading", { level: 1, name: "A second factor first" }).waitFor();
  expect(await page.getByRole("dialog").count()).toBe(0);
  expect(await barriersIn(page)).toEqual([]);
  await page.reload();
  await page.getByRole("main").getByRole("link", { name: "Set it up" }).click();
  await button("Set it up").click();
  const part = page.getByRole("region", { name: "Second factor" });
  const secret = (await part.getByRole("paragraph").locator("code").first().textContent()) ?? "";
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
  await page.getByLabel("The code that it shows").fill(code);
  await button("Turn it on").click();
  await button("I have them").click();
  await part.getByText("recovery codes are left.").waitFor();
  await page.getByRole("link", { name: "Overview" }).click();
  const live = page.getByRole("listitem").filter({ hasText: "active" }).locator("b");
  await until("what is live", async () => (await live.textContent()) !== "0");
  await page.goto(`${url}/settings/team`);
  await until("it to be asked for", () => asks.isChecked());
  expect(await asks.isDisabled()).toBe(false);
  isSound(seen, /status of 403|WebSocket/);
});
