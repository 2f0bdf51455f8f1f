import { expect, test } from "vitest";
import { z } from "zod";
import { calledFrom } from "../../support/called-from.ts";
import { NARROW_PX, openDashboard, widthOnceDrawn } from "../../support/dashboard.ts";

const HOSTILE = [
  '<img src="https://evil.example/x" onerror="alert(1)">',
  "‮evil right to left ‭",
  "x".repeat(200),
  "🛰️📡".repeat(20),
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is to be no template anywhere
  "';--\\ ${alert(1)} {{7*7}}",
];
const HOSTILE_MAST = '<b onmouseover="alert(2)">mast</b>';

test("names are text, whatever is in them, and no page is broken by them", async () => {
  const { page, url, complaints, outside } = await openDashboard({ DEMO: "false" });
  const dialogs: string[] = [];
  page.on("dialog", (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  const Created = z.object({ signals: z.array(z.object({ id: z.string() })) });
  const WithId = z.object({ id: z.string() });
  const [ids, sources, rules, webhooks]: [string[], string[], string[], string[]] = [[], [], [], []];
  const make = <T>(shape: z.ZodType<T>, path: string, body: object) =>
    calledFrom(page, shape, "POST", path, body);
  for (const name of HOSTILE) {
    const { signals } = await make(Created, "/v1/signals", { name, threshold: 0.5 });
    ids.push(...signals.map(({ id }) => id));
    const rule = { name, condition: { operator: "below", value: -80 } };
    rules.push((await make(WithId, "/v1/alerts/rules", rule)).id);
    sources.push((await make(WithId, "/v1/integrations/sources", { type: "push", name })).id);
    const webhook = { url: "https://hooks.example/signals", name, events: ["webhook.disabled"] };
    webhooks.push((await make(WithId, "/v1/integrations/webhooks", webhook)).id);
  }
  const reading = { id: HOSTILE_MAST, rssi: -100 };
  await make(z.object({}), `/v1/integrations/sources/${sources[0]}/push`, reading);
  await page.setViewportSize({ width: NARROW_PX, height: 740 });
  const fits = async (where: string) => {
    const widthPx = await widthOnceDrawn(page);
    expect([where, Math.max(widthPx, NARROW_PX)]).toEqual([where, NARROW_PX]);
  };
  const titled = (name: string | undefined) => page.getByRole("heading", { level: 1, name: name ?? "" });
  await page.goto(`${url}/signals`);
  for (const name of [...HOSTILE, HOSTILE_MAST])
    await page.getByRole("row").filter({ hasText: name }).first().waitFor();
  await fits("signals");
  for (const [n, id] of ids.entries()) {
    await page.goto(`${url}/signals/${id}`);
    // Without readings.
    await titled(HOSTILE[n]).waitFor();
    await page.getByRole("img", { name: "Strength over time" }).waitFor();
    await fits(id);
  }
  for (const path of ["/alerts/rules", "/settings/integrations", "/settings/webhooks"]) {
    await page.goto(url + path);
    for (const name of HOSTILE) await page.getByRole("link", { name }).first().waitFor();
    await fits(path);
  }
  const opened = async (path: string, things: readonly string[], region: string) => {
    for (const [n, id] of things.entries()) {
      await page.goto(`${url}${path}/${id}`);
      await titled(HOSTILE[n]).waitFor();
      await page.getByRole("region", { name: region }).waitFor();
      await fits(id);
    }
  };
  await opened("/settings/integrations", sources, "Its signals");
  await opened("/settings/webhooks", webhooks, "Signing secret");
  await opened("/alerts/rules", rules, "The rule on the past");

  // What is chosen in a form is called as long as it is called.
  const [long = "", longId = ""] = [HOSTILE[2], ids[2]];
  const chosen = page.getByRole("button", { name: `Leave out ${long}`, exact: true });
  const hook = { url: "https://hooks.example/of-one", events: ["signal.failed"] };
  const filter = { signalIds: [longId] };
  const { id: ofOne } = await make(WithId, "/v1/integrations/webhooks", { ...hook, filter });
  for (const path of [
    `/alerts/rules/new?signalId=${longId}`,
    `/alerts/silences/new?signalId=${longId}`,
    `/settings/webhooks/${ofOne}`,
  ]) {
    await page.goto(url + path);
    await chosen.waitFor();
    await fits(path);
  }
  await page.goto(`${url}/signals?label=site:${long}&source=${sources[2]}`);
  await page.getByRole("button", { name: `Do not filter by label site:${long}` }).waitFor();
  await page.getByRole("button", { name: `Do not filter by source ${long}` }).waitFor();
  await fits("a filter of it");
  await page.goto(`${url}/settings/audit-log`);
  await page.getByRole("cell", { name: "webhook.created" }).first().waitFor();
  await fits("the audit log");
  // A column of a letter a line is none that can be read.
  const columns = await page.locator("tbody tr:first-child td").all();
  const widths = await Promise.all(columns.map(async (cell) => (await cell.boundingBox())?.width ?? 0));
  expect(Math.min(...widths)).toBeGreaterThan(80);

  await page.goto(url);
  const firing = page.getByRole("region", { name: "Alerts that fire" });
  for (const name of HOSTILE) await firing.getByRole("link").filter({ hasText: name }).first().waitFor();
  await firing.getByText(HOSTILE_MAST).first().waitFor();
  await fits("the overview");
  await firing.getByRole("link").filter({ hasText: "onerror" }).click();
  await titled(HOSTILE[0]).waitFor();
  await page.getByText(HOSTILE_MAST).first().waitFor();
  await fits("an alert");

  for (const name of [...HOSTILE, HOSTILE_MAST]) {
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill(name);
    await page.getByRole("option").filter({ hasText: name.trim() }).first().waitFor();
    await fits(`the palette with ${name}`);
    await page.keyboard.press("Escape");
    await page.getByRole("combobox").waitFor({ state: "detached" });
  }
  await page.goto(
    `${url}/signals?q=${encodeURIComponent(HOSTILE[0] ?? "")}&status=nonsense&label=%00&sort=1`,
  );
  await page.getByRole("row").filter({ hasText: "onerror" }).waitFor();
  expect(dialogs).toEqual([]);
  expect(outside).toEqual([]);
  expect(complaints).toEqual([]);
});
