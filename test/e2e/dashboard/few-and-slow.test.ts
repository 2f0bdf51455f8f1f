import { expect, test } from "vitest";
import { z } from "zod";
import { calledFrom } from "../../support/called-from.ts";
import { NARROW_PX, openDashboard } from "../../support/dashboard.ts";
import { until } from "../../support/until.ts";

const Created = z.object({ signals: z.tuple([z.object({ id: z.string() })]) });

test("no signal at all, one without a reading, and one with a single one are each shown as what they are", async () => {
  const { page, url, outside, complaints } = await openDashboard({ DEMO: "false" });
  await page.getByText("There are no signals yet").waitFor();
  await page.goto(`${url}/alerts`);
  await page.getByText("Nothing has fired yet.").waitFor();
  await page.getByRole("link", { name: "Make a rule" }).click();
  const past = page.getByRole("region", { name: "The rule on the past" });
  await past.getByText("There is no signal to try it on yet.").waitFor();
  expect(await past.getByLabel("Shown on").count()).toBe(0);
  await page.goto(`${url}/signals`);
  await page.getByRole("link", { name: "Connect a source" }).click();
  await page.getByRole("heading", { level: 1, name: "Connect a source" }).waitFor();
  await page.goto(url);
  const {
    signals: [{ id }],
  } = await calledFrom(page, Created, "POST", "/v1/signals", { name: "Lone mast", threshold: 0.5 });
  await page.reload();
  await page.getByRole("link", { name: "1 active" }).waitFor();
  await page.getByRole("button", { name: "Open the worst" }).click();
  await page.getByRole("heading", { level: 1, name: "Lone mast" }).waitFor();
  await page.goto(`${url}/signals`);
  const row = page.getByRole("row").filter({ hasText: "Lone mast" });
  await row.getByText("never").waitFor();
  // In a narrow window, too, it is seen that it is silent.
  await page.setViewportSize({ width: NARROW_PX, height: 740 });
  expect(await row.getByText("never").isVisible()).toBe(true);
  await page.setViewportSize({ width: 1280, height: 740 });
  await row.getByRole("link").click();
  await page.getByRole("img", { name: "Strength over time" }).waitFor();
  const report = { operations: [{ operation: "report", signalId: id, strength: -71.5 }] };
  await calledFrom(page, z.object({}), "POST", "/v1/signals/batch", report);
  await page.getByText(/^−71\.5 dBm · /).waitFor();
  const analysis = page.getByRole("region", { name: "Analysis" });
  await analysis
    .locator("div")
    .filter({ hasText: /^Readings1$/ })
    .waitFor();
  await page.goto(url);
  await page.getByRole("button", { name: "Open the worst" }).click();
  await page.getByRole("heading", { level: 1, name: "Lone mast" }).waitFor();
  expect(outside).toEqual([]);
  expect(complaints).toEqual([]);
});

test("while the service takes long, it is said that something comes, and nothing is done twice", async () => {
  const { page, url, outside, complaints } = await openDashboard();
  const slow = Promise.withResolvers<void>();
  await page.route(/\/v1\/signals\?/, async (route) => {
    await slow.promise;
    await route.continue();
  });
  await page.goto(`${url}/signals`);
  const loading = page.getByRole("status").filter({ hasText: "Loading" });
  await loading.waitFor();
  slow.resolve();
  await page.getByRole("row").filter({ hasText: "demo-01" }).waitFor();
  expect(await loading.count()).toBe(0);

  await page.goto(`${url}/alerts/rules/new`);
  await page.getByLabel("Name", { exact: true }).fill("Only once");
  const slower = Promise.withResolvers<void>();
  let asked = 0;
  await page.route("**/v1/alerts/rules", async (route) => {
    if (route.request().method() === "POST") asked++;
    await slower.promise;
    await route.continue();
  });
  const create = page.getByRole("button", { name: "Create the rule" });
  await create.click();
  await until("the button to wait", () => create.isDisabled());
  await create.dispatchEvent("click");
  await page.getByLabel("Name", { exact: true }).press("Enter");
  slower.resolve();
  await page.getByRole("list", { name: "Rules" }).getByText("Only once").waitFor();
  expect(asked).toBe(1);
  expect(outside).toEqual([]);
  expect(complaints).toEqual([]);
});
