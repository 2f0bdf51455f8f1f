import { expect, test } from "vitest";
import { z } from "zod";
import { calledFrom } from "../../support/called-from.ts";
import { openDashboard } from "../../support/dashboard.ts";
import { HANDS } from "../../support/hands.ts";
import { startReceiver } from "../../support/receiver.ts";
import { until } from "../../support/until.ts";

/** The service counts requests. */
const PAUSE_MS = 250;
const WithId = z.object({ id: z.string() });
const Found = z.object({ signals: z.array(WithId) });
const AlertsFound = z.object({ alerts: z.array(z.object({ id: z.string(), firedAt: z.string() })) });
const Explained = z.object({ outcome: z.string(), readings: z.array(z.object({ outcome: z.string() })) });

test.each(["mouse", "keyboard"] as const)(
  "by %s alone, an alert says by which rule and which readings it fired, and who was told",
  async (kind) => {
    const { page, outside, complaints } = await openDashboard({ WEBHOOK_ALLOW_PRIVATE: "true" });
    const hands = HANDS[kind](page);
    const receiver = await startReceiver();
    const [signal] = await until("the signal", async () => {
      await page.waitForTimeout(PAUSE_MS);
      const { signals } = await calledFrom(page, Found, "GET", "/v1/signals?q=demo-04");
      return signals.length === 1 ? signals : null;
    });
    const events = ["alert.firing", "alert.resolved"];
    const hooks = "/v1/integrations/webhooks";
    await calledFrom(page, WithId, "POST", hooks, { url: receiver.url, name: "Pager", events });
    await calledFrom(page, WithId, "POST", hooks, {
      url: receiver.url,
      name: "Of something else",
      events: ["source.connected"],
    });
    // Above all that the demo sends: it fires at the next reading, and goes on.
    const { id: ruleId } = await calledFrom(page, WithId, "POST", "/v1/alerts/rules", {
      name: "Weak antenna",
      select: { signalIds: [signal?.id] },
      condition: { operator: "below", value: -20 },
      notify: { emails: ["ops@example.org"] },
    });
    await until("the webhook to be called", () =>
      receiver.received.some(({ body }) => body.includes("Weak antenna")),
    );
    await until("the reading that crossed the limit to be stored", async () => {
      await page.waitForTimeout(PAUSE_MS);
      const query = new URLSearchParams({ ruleId, state: "firing" });
      const { alerts } = await calledFrom(page, AlertsFound, "GET", `/v1/alerts?${query}`);
      const [alert] = alerts;
      if (alert === undefined) return null;
      const at = new Date(Date.parse(alert.firedAt) + 1).toISOString();
      const asked = new URLSearchParams({ signalId: signal?.id ?? "", at });
      const path = `/v1/alerts/rules/${ruleId}/explain?${asked}`;
      const { outcome, readings } = await calledFrom(page, Explained, "GET", path);
      return outcome === "firing" && readings.at(-1)?.outcome === "fires";
    });

    const firing = page.getByRole("region", { name: "Alerts that fire" });
    await hands.press(firing.getByRole("link", { name: "demo-04: Weak antenna" }));
    await page.getByRole("heading", { name: "Weak antenna", level: 1 }).waitFor();
    await page.getByRole("region", { name: "The alert" }).getByText("Strength below −20.0 dBm").waitFor();
    const facts = page.getByRole("region", { name: "The alert" });
    const crossed = facts.locator("div").filter({ has: page.getByText("Crossed at", { exact: true }) });
    await crossed.getByText(/^−[\d.]+ dBm$/).waitFor();
    const why = page.getByRole("region", { name: "Why it fired" });
    // By the reader's clock, as all else on the page.
    await why.getByText(/^It fired, from \w+ \d+, \d{4}, .* on\. The newest reading then: −/).waitFor();
    expect(await why.getByText(/\d{4}-\d\d-\d\dT/).count()).toBe(0);
    await why
      .getByText(/^It fires: −[\d.]+ dBm is beyond −20 dBm\.$/)
      .first()
      .waitFor();
    await hands.press(why.getByText(/^The last \d+ readings$/));
    const crossing = why.getByRole("row").filter({ has: page.getByRole("cell", { name: /^fires / }) });
    await crossing
      .getByRole("cell", { name: /^−[\d.]+ dBm$/ })
      .first()
      .waitFor();
    const told = page.getByRole("region", { name: "Who was told" }).getByRole("row");
    const pager = told.filter({ hasText: "alert.firing" }).filter({ hasText: "Pager" });
    await pager.filter({ hasText: "delivered" }).waitFor();
    await told.filter({ hasText: "ops@example.org" }).filter({ hasText: "by e-mail" }).first().waitFor();
    expect(await told.filter({ hasText: "Of something else" }).count()).toBe(0);
    // Other rules' alerts, of the same signal too, are told elsewhere.
    expect(await told.filter({ hasText: "alert.firing" }).filter({ hasText: "Pager" }).count()).toBe(1);
    const lower = { condition: { operator: "below", value: -25 } };
    await calledFrom(page, WithId, "PATCH", `/v1/alerts/rules/${ruleId}`, lower);
    await page.reload();
    await why.getByText(/^The rule has been changed since, last at /).waitFor();
    await page.getByRole("region", { name: "The alert" }).getByText("Strength below −20.0 dBm").waitFor();
    // What fails the signal is seen beside its history, and leads there.
    await hands.press(page.getByRole("link", { name: "demo-04", exact: true }));
    const looking = page.getByRole("list", { name: "Rules that look at it" }).getByRole("listitem");
    await looking.filter({ hasText: "Demo: below −50 dBm" }).waitFor();
    await looking.filter({ hasText: "Weak antenna Strength below −25.0 dBm" }).waitFor();
    await hands.press(looking.getByRole("link", { name: "Weak antenna" }));
    await page.getByRole("heading", { name: "Weak antenna", level: 1 }).waitFor();
    expect(outside).toEqual([]);
    expect(complaints).toEqual([]);
  },
);

test("what a colleague has saved meanwhile is not overwritten, and can be loaded", async () => {
  const { page, url, outside, complaints } = await openDashboard();
  const hands = HANDS.mouse(page);
  const { rules } = await calledFrom(page, z.object({ rules: z.array(WithId) }), "GET", "/v1/alerts/rules");
  const path = `/v1/alerts/rules/${rules[0]?.id}`;
  await page.goto(`${url}/alerts/rules/${rules[0]?.id}`);
  const name = page.getByLabel("Name", { exact: true });
  await hands.write(name, "Mine");
  await calledFrom(page, WithId, "PATCH", path, { name: "Theirs" });
  await hands.press(page.getByRole("button", { name: "Save" }));
  await page.getByText("It was changed meanwhile, and what you typed is not saved.").waitFor();
  expect(await name.inputValue()).toBe("Mine");
  await hands.press(page.getByRole("button", { name: "Load what is there now" }));
  await until("what is there now", async () => (await name.inputValue()) === "Theirs");
  await hands.write(name, "Ours");
  await hands.press(page.getByRole("button", { name: "Save" }));
  await page.getByRole("list", { name: "Rules" }).getByText("Ours").waitFor();
  expect(outside).toEqual([]);
  expect(complaints.filter((complaint) => !complaint.includes("status of 412"))).toEqual([]);
});
