import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { calledFrom } from "../../support/called-from.ts";
import { openDashboard } from "../../support/dashboard.ts";
import { HANDS } from "../../support/hands.ts";
import { until } from "../../support/until.ts";

const WithId = z.object({ id: z.string() });
const Found = z.object({ signals: z.array(WithId) });
const Created = z.object({ signals: z.tuple([WithId]) });
const Stored = z.object({ readings: z.array(z.unknown()) });
const MINUTE_MS = 60_000;

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
  test("a signal is paused, by mistake as well, resumed and called otherwise while what is live is frozen", async () => {
    const { page, url, outside, complaints } = await openDashboard();
    const hands = HANDS[kind](page);
    await page.goto(`${url}/signals/${await signalCalled(page, "demo-03")}`);
    await heading(page, "demo-03").waitFor();
    await hands.press(button(page, "Pause monitoring"));
    await page.getByText("“demo-03” is paused for everybody").waitFor();
    await hands.press(button(page, "Undo"));
    await hands.press(button(page, "Pause monitoring"));
    await button(page, "Resume monitoring").waitFor();
    const status = page.getByRole("main").getByText("paused", { exact: false }).first();
    await status.waitFor();
    if (kind === "mouse") await hands.press(button(page, "Freeze view"));
    else {
      await heading(page, "demo-03").focus();
      await page.keyboard.press("Space");
    }
    await page.getByText("Frozen.").waitFor();
    await hands.press(button(page, "Resume monitoring"));
    await button(page, "Pause monitoring").waitFor();

    await hands.press(page.getByText("Settings of this signal"));
    await hands.write(page.getByLabel("Name", { exact: true }), "Roof antenna");
    await hands.press(button(page, "Save"));
    await page.getByText("The signal is saved.").waitFor();
    await heading(page, "Roof antenna").waitFor();
    await hands.press(button(page, "Go on"));
    await page.getByText("Frozen.").waitFor({ state: "detached" });
    expect(outside).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test("what the readings recommend is changed by one button, and undone by another", async () => {
    const { page, url, outside, complaints } = await openDashboard({ DEMO: "false" });
    const hands = HANDS[kind](page);
    const {
      signals: [{ id }],
    } = await calledFrom(page, Created, "POST", "/v1/signals", {
      name: "Patient mast",
      threshold: 0.1,
      noDataAfterSeconds: 86_400,
    });
    const newest = Date.now() - MINUTE_MS;
    const operations = Array.from({ length: 40 }, (_, i) => ({
      operation: "report",
      signalId: id,
      strength: -60,
      at: new Date(newest - (39 - i) * MINUTE_MS).toISOString(),
    }));
    await calledFrom(page, z.object({}), "POST", "/v1/signals/batch", { operations });
    await until("the readings to be stored", async () => {
      const { readings } = await calledFrom(page, Stored, "GET", `/v1/signals/${id}/readings?step=raw`);
      return readings.length === operations.length;
    });
    await page.goto(`${url}/signals/${id}`);
    await page.getByText("could be told after 180 s instead of 86400 s").waitFor();
    await hands.press(button(page, "Change it"));
    await page.getByText("The signal is changed.").waitFor();
    await button(page, "Change it").waitFor({ state: "detached" });
    await hands.press(page.getByText("Settings of this signal"));
    const seconds = page.getByRole("spinbutton", { name: "Seconds" });
    expect(await seconds.inputValue()).toBe("180");
    await hands.press(button(page, "Undo"));
    await button(page, "Change it").waitFor();
    await until("the form to follow", async () => (await seconds.inputValue()) === "86400");
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
    // Until the new page is there, the link is one of the page before, which may go amid the press.
    await heading(page, "Alerts").waitFor();
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

/** As the service says it: not to be asked again by itself. */
const REFUSED = {
  status: 409,
  contentType: "application/problem+json",
  json: {
    type: "/problems/conflict",
    title: "Conflict",
    status: 409,
    code: "conflict",
    detail: "something is in the way",
    requestId: "req_1",
  },
};
/** The browser itself tells of what was refused. */
const isOwn = (complaint: string) => !complaint.includes("409");

test("a demo of which a part could not be removed is removed by the same button", async () => {
  const { page, url, outside, complaints } = await openDashboard();
  await signalCalled(page, "demo-20");
  await page.goto(`${url}/settings/integrations`);
  let left = 3;
  await page.route(/\/v1\/signals\/sig_/, async (route) => {
    if (route.request().method() === "DELETE" && left-- > 0) await route.fulfill(REFUSED);
    else await route.continue();
  });
  await button(page, "Remove the demo").click();
  await page.getByText("something is in the way").waitFor();
  await button(page, "Remove the demo").click();
  await page.getByText("No source is connected yet").waitFor();
  const { signals } = await calledFrom(page, Found, "GET", "/v1/signals?q=demo-");
  expect(signals).toEqual([]);
  expect(outside).toEqual([]);
  expect(complaints.filter(isOwn)).toEqual([]);
});

test("a next page of the table that cannot be had is asked for once, and then by a button", async () => {
  const { page, url, outside, complaints } = await openDashboard({ DEMO: "false" });
  const operations = Array.from({ length: 250 }, (_, i) => ({
    operation: "create",
    name: `mast ${String(i).padStart(3, "0")}`,
    threshold: 0.1,
  }));
  await calledFrom(page, z.object({}), "POST", "/v1/signals/batch", { operations });
  let refused = 0;
  await page.route(/\/v1\/signals\?.*cursor=/, async (route) => {
    refused++;
    await route.fulfill(REFUSED);
  });
  await page.goto(`${url}/signals`);
  await page.getByRole("row").filter({ hasText: "mast 000" }).waitFor();
  await page.keyboard.press("End");
  await page.getByText("something is in the way").waitFor();
  await page.getByRole("row").filter({ hasText: "mast 199" }).waitFor();
  await button(page, "Show more").waitFor();
  expect(refused).toBe(1);
  await page.unrouteAll();
  await button(page, "Show more").click();
  await page.getByText("something is in the way").waitFor({ state: "detached" });
  await page.keyboard.press("End");
  await page.getByRole("row").filter({ hasText: "mast 249" }).waitFor();
  expect(outside).toEqual([]);
  expect(complaints.filter(isOwn)).toEqual([]);
});
