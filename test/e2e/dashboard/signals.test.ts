import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { calledFrom } from "../../support/called-from.ts";
import { openDashboard } from "../../support/dashboard.ts";
import { HANDS } from "../../support/hands.ts";
import { until } from "../../support/until.ts";

const WithId = z.object({ id: z.string() });
const Found = z.object({ signals: z.array(WithId) });

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name, exact: true });
const place = (page: Page, name: string) =>
  page.getByRole("navigation", { name: "Main" }).getByRole("link", { name, exact: true });

const signalCalled = (page: Page, name: string) =>
  until("the signal", async () => {
    const { signals } = await calledFrom(page, Found, "GET", `/v1/signals?q=${name}`);
    return signals[0]?.id ?? null;
  });

describe.each(["mouse", "keyboard"] as const)("by %s alone", (kind) => {
  test("a signal is paused, resumed and called otherwise in a pause of what is live", async () => {
    const { page, url, outside, complaints } = await openDashboard();
    const hands = HANDS[kind](page);
    await page.goto(`${url}/signals/${await signalCalled(page, "demo-03")}`);
    await heading(page, "demo-03").waitFor();
    await hands.press(button(page, "Pause"));
    await button(page, "Resume").waitFor();
    const status = page.getByRole("main").getByText("paused", { exact: false }).first();
    await status.waitFor();
    await heading(page, "demo-03").focus();
    await page.keyboard.press("Space");
    await page.getByText("Paused.").waitFor();
    await hands.press(button(page, "Resume"));
    await button(page, "Pause").waitFor();

    await hands.press(page.getByText("Settings of this signal"));
    await hands.write(page.getByLabel("Name", { exact: true }), "Roof antenna");
    await hands.press(button(page, "Save"));
    await page.getByText("The signal is saved.").waitFor();
    await heading(page, "Roof antenna").waitFor();
    await hands.press(button(page, "Go on"));
    await page.getByText("Paused.").waitFor({ state: "detached" });
    expect(outside).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test("an alert is taken on, silenced, and told again", async () => {
    const { page, outside, complaints } = await openDashboard();
    const hands = HANDS[kind](page);
    const signalId = await signalCalled(page, "demo-05");
    // Above all that the demo sends: it fires at the next reading, and goes on.
    await calledFrom(page, WithId, "POST", "/v1/alerts/rules", {
      name: "Weak antenna",
      select: { signalIds: [signalId] },
      condition: { operator: "below", value: -20 },
    });
    const firing = page.getByRole("region", { name: "Alerts that fire" });
    await hands.press(firing.getByRole("link", { name: "demo-05: Weak antenna" }));
    await hands.press(button(page, "Take it on"));
    const dialog = page.getByRole("dialog", { name: "Take this alert on" });
    await hands.write(dialog.getByLabel("Note"), "On my way");
    await hands.press(dialog.getByRole("button", { name: "Take it on" }));
    await page.getByText(/ago: On my way/).waitFor();
    expect(await button(page, "Take it on").count()).toBe(0);

    await hands.press(place(page, "Alerts"));
    await hands.press(page.getByRole("link", { name: "Silences", exact: true }));
    await hands.press(page.getByRole("link", { name: "New silence" }));
    await hands.write(page.getByLabel("Reason"), "The mast is painted");
    await hands.press(page.getByLabel("4 hours"));
    await hands.press(button(page, "Silence"));
    const silences = page.getByRole("list", { name: "Silences" });
    const silence = silences.getByRole("listitem").filter({ hasText: "The mast is painted" });
    await silence.getByText("● active").waitFor();
    await hands.press(silence.getByRole("button", { name: "End it" }));
    await page.getByText("The silence is ended.").waitFor();
    await silence.getByText("● active").waitFor({ state: "detached" });
    await hands.press(button(page, "Undo"));
    await silence.getByText("● active").waitFor();
    expect(outside).toEqual([]);
    expect(complaints).toEqual([]);
  });
});

test("a rule that was deleted is there again after one key", async () => {
  const { page, url, outside, complaints } = await openDashboard();
  await page.goto(`${url}/alerts/rules`);
  const rules = page.getByRole("list", { name: "Rules" });
  const rule = rules.getByRole("link", { name: /^Demo/ });
  await rule.click();
  await button(page, "Delete").click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete the rule" }).click();
  await page.getByText(/is deleted\.$/).waitFor();
  await rule.waitFor({ state: "detached" });
  await page.keyboard.press("u");
  await rule.waitFor();
  expect(await button(page, "Undo").count()).toBe(0);
  expect(outside).toEqual([]);
  expect(complaints).toEqual([]);
});
