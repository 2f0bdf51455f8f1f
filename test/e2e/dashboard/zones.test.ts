import { expect, test } from "vitest";
import { openDashboard } from "../../support/dashboard.ts";

/** Two hours of UTC about the moment at which a clock changes, and what it shows at both ends. */
const CHANGES = [
  ["Europe/Paris", "2026-03-29T00:00:00Z", "2026-03-29T02:00:00Z", "1:00:00 AM", "4:00:00 AM"],
  ["Europe/Paris", "2026-10-25T00:00:00Z", "2026-10-25T02:00:00Z", "2:00:00 AM", "3:00:00 AM"],
  ["America/New_York", "2026-03-08T06:00:00Z", "2026-03-08T08:00:00Z", "1:00:00 AM", "4:00:00 AM"],
  ["America/New_York", "2026-11-01T05:00:00Z", "2026-11-01T07:00:00Z", "1:00:00 AM", "2:00:00 AM"],
  // By half an hour.
  ["Australia/Lord_Howe", "2026-04-04T14:00:00Z", "2026-04-04T16:00:00Z", "1:00:00 AM", "2:30:00 AM"],
  ["Australia/Lord_Howe", "2026-10-03T14:00:00Z", "2026-10-03T16:00:00Z", "12:30:00 AM", "3:00:00 AM"],
] as const;

test("times are those of the clock on the reader's wall, on the days that it changes too, or those of UTC", async () => {
  const { page, context, url, outside } = await openDashboard();
  const browser = context.browser();
  if (browser === null) throw new Error("the browser is gone");
  await page.goto(`${url}/signals`);
  await page.getByRole("link", { name: "demo-01" }).click();
  await page.getByRole("heading", { name: "demo-01" }).waitFor();
  const { pathname } = new URL(page.url());
  const storageState = await context.storageState();
  for (const [timezoneId, from, to, first, last] of CHANGES) {
    const there = await browser.newContext({ timezoneId, storageState, locale: "en-US" });
    const theirs = await there.newPage();
    await theirs.goto(`${url}${pathname}?${new URLSearchParams({ from, to })}`);
    const shown = theirs.getByText(/ – .* · /);
    await shown.waitFor();
    expect([timezoneId, from, (await shown.textContent())?.replaceAll("\u202f", " ")]).toEqual([
      timezoneId,
      from,
      expect.stringMatching(new RegExp(`, ${first} – .*, ${last} · `)),
    ]);
    await theirs.getByRole("button", { name: /olga@example.org/ }).click();
    await theirs.getByRole("menuitemradio", { name: "UTC" }).click();
    const utc = (at: string) =>
      new Intl.DateTimeFormat("en-US", { timeStyle: "medium", timeZone: "UTC" }).format(new Date(at));
    await theirs.getByText(`, ${utc(from)} – `).waitFor();
    await there.close();
  }
  expect(outside).toEqual([]);
});
