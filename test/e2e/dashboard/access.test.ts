import { expect, test } from "vitest";
import { barriersOf, openDashboard } from "../../support/dashboard.ts";

const PAGES = [
  "/",
  "/signals",
  "/alerts",
  "/alerts/rules",
  "/alerts/rules/new",
  "/alerts/silences",
  "/alerts/silences/new",
  "/settings/integrations",
  "/settings/integrations/new",
  "/settings/webhooks",
  "/settings/webhooks/new",
  "/settings/api-keys",
  "/settings/oauth-clients",
  "/settings/team",
  "/settings/access-requests",
  "/settings/audit-log",
  "/settings/security",
  "/settings/versions",
  "/settings/no-such-page",
];

test("every page can be used by everybody, light and dark, wide and narrow, and none is wider than the window", async () => {
  const { page, url, complaints, outside } = await openDashboard();
  const barriers: string[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    for (const path of PAGES) {
      await page.goto(url + path);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.waitForLoadState("networkidle");
      barriers.push(...(await barriersOf(page)).map((barrier) => `${colorScheme} ${path} ${barrier}`));
    }
  }
  expect(barriers).toEqual([]);
  const wide: string[] = [];
  await page.setViewportSize({ width: 360, height: 740 });
  for (const path of PAGES) {
    await page.goto(url + path);
    await page.getByRole("heading", { level: 1 }).waitFor();
    const width = await page.evaluate<number>("document.documentElement.scrollWidth");
    if (width > 360) wide.push(`${path} ${width}`);
  }
  expect(wide).toEqual([]);
  expect(outside).toEqual([]);
  expect(complaints.filter((complaint) => !complaint.includes("status of 404"))).toEqual([]);
});

test("every dialog and menu can be used by everybody, light and dark", async () => {
  const { page, url, outside } = await openDashboard();
  const open: readonly (readonly [string, () => Promise<void>])[] = [
    ["palette", () => page.keyboard.press("Control+k")],
    ["keys", () => page.keyboard.press("?")],
    ["menu", () => page.getByRole("button", { name: /olga@example.org/ }).click()],
    [
      "question",
      async () => {
        await page.goto(`${url}/alerts/rules`);
        await page.getByRole("link", { name: /^Demo/ }).click();
        await page.getByRole("button", { name: "Delete" }).click();
      },
    ],
    [
      "leave guard",
      async () => {
        await page.goto(`${url}/alerts/rules/new`);
        await page.getByLabel("Name", { exact: true }).fill("x");
        await page.getByRole("link", { name: "Overview" }).click();
      },
    ],
  ];
  const barriers: string[] = [];
  for (const colorScheme of ["light", "dark"] as const)
    for (const [what, show] of open) {
      await page.emulateMedia({ colorScheme });
      await page.goto(url);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await show();
      await page.locator("[role=dialog]:visible, [role=menu]:visible").first().waitFor();
      barriers.push(...(await barriersOf(page)).map((barrier) => `${colorScheme} ${what} ${barrier}`));
      await page.keyboard.press("Escape");
    }
  expect(barriers).toEqual([]);
  expect(outside).toEqual([]);
});
