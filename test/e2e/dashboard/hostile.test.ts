import { expect, test } from "vitest";
import { z } from "zod";
import { calledFrom } from "../../support/called-from.ts";
import { openDashboard } from "../../support/dashboard.ts";

const HOSTILE = [
  '<img src="https://evil.example/x" onerror="alert(1)">',
  "‮evil right to left ‭",
  "x".repeat(200),
  "🛰️📡".repeat(20),
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is to be no template anywhere
  "';--\\ ${alert(1)} {{7*7}}",
];

test("names are text, whatever is in them, and no page is broken by them", async () => {
  const { page, url, complaints, outside } = await openDashboard({ DEMO: "false" });
  const dialogs: string[] = [];
  page.on("dialog", (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  const Created = z.object({ signals: z.array(z.object({ id: z.string() })) });
  const WithId = z.object({ id: z.string() });
  const [ids, sources]: [string[], string[]] = [[], []];
  const make = <T>(shape: z.ZodType<T>, path: string, body: object) =>
    calledFrom(page, shape, "POST", path, body);
  for (const name of HOSTILE) {
    const { signals } = await make(Created, "/v1/signals", { name, threshold: 0.5 });
    ids.push(...signals.map(({ id }) => id));
    await make(WithId, "/v1/alerts/rules", { name, condition: { operator: "below", value: -80 } });
    const { id } = await make(WithId, "/v1/integrations/sources", { type: "push", name });
    sources.push(id);
  }
  await page.setViewportSize({ width: 360, height: 740 });
  const width = () => page.evaluate<number>("document.documentElement.scrollWidth");
  await page.goto(`${url}/signals`);
  for (const name of HOSTILE) await page.getByRole("row").filter({ hasText: name }).first().waitFor();
  expect(await width()).toBeLessThanOrEqual(360);
  for (const [n, id] of ids.entries()) {
    await page.goto(`${url}/signals/${id}`);
    // Without readings.
    await page.getByRole("heading", { level: 1, name: HOSTILE[n] ?? "" }).waitFor();
    await page.getByRole("img", { name: "Strength over time" }).waitFor();
    expect([id, (await width()) <= 360]).toEqual([id, true]);
  }
  await page.goto(`${url}/alerts/rules`);
  for (const name of HOSTILE) await page.getByRole("link", { name }).first().waitFor();
  expect(await width()).toBeLessThanOrEqual(360);
  await page.goto(`${url}/settings/integrations`);
  for (const name of HOSTILE) await page.getByRole("link", { name }).first().waitFor();
  expect(await width()).toBeLessThanOrEqual(360);
  for (const [n, id] of sources.entries()) {
    await page.goto(`${url}/settings/integrations/${id}`);
    await page.getByRole("heading", { level: 1, name: HOSTILE[n] ?? "" }).waitFor();
    await page.getByRole("region", { name: "Its signals" }).waitFor();
    expect([id, (await width()) <= 360]).toEqual([id, true]);
  }
  await page.goto(
    `${url}/signals?q=${encodeURIComponent(HOSTILE[0] ?? "")}&status=nonsense&label=%00&sort=1`,
  );
  await page.getByRole("row").filter({ hasText: "onerror" }).waitFor();
  expect(dialogs).toEqual([]);
  expect(outside).toEqual([]);
  expect(complaints).toEqual([]);
});
