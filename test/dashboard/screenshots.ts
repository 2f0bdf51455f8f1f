import { access, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { launchChromium } from "../support/chromium-process.ts";
import { signInAsFirstOwner } from "../support/first-owner.ts";
import { newApiKey, Service } from "../support/service-process.ts";

/** What the README opens with. */
const README_PICTURE = new URL("../../src/dashboard/dashboard.png", import.meta.url).pathname;
/** The first row of a list leads to one of what is listed. */
const PAGES = {
  overview: { path: "/" },
  signals: { path: "/signals?status=failed" },
  signal: { path: "/signals?status=failed", isFirst: true },
  alerts: { path: "/alerts?state=firing" },
  alert: { path: "/alerts?state=firing", isFirst: true },
  rule: { path: "/alerts/rules/new" },
  connect: { path: "/settings/integrations/new" },
  webhook: { path: "/settings/webhooks/new" },
} as const;
const SIZES = [
  [1280, 860],
  [360, 780],
] as const;
/** When the service begins, by its own clock: so what is shown says the same at every time. */
const BEGINS_AT = Date.parse("2026-06-17T09:20:00Z");
/** Of Debian's package `faketime`; `DONT_FAKE_MONOTONIC`: what takes long takes as long as it does. */
const FAKETIME = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1";
const atFixedTime = async () => {
  await access(FAKETIME).catch(() => {
    throw new Error("the clock of the pictures is that of faketime: apt-get install faketime");
  });
  const seconds = Math.round((BEGINS_AT - Date.now()) / 1_000);
  return { LD_PRELOAD: FAKETIME, FAKETIME: `${seconds}s`, FAKETIME_DONT_FAKE_MONOTONIC: "1" };
};
/** Until the wall and the table have values of every signal, and some have failed. */
const SETTLE_MS = 20_000;

const { values } = parseArgs({
  options: { into: { type: "string" }, readme: { type: "boolean", default: false } },
});
const into = values.into ?? (await mkdtemp(join(tmpdir(), "signals-screenshots-")));
await mkdir(into, { recursive: true });
const dataDirectory = await mkdtemp(join(tmpdir(), "sos-"));
const apiKey = newApiKey();
const service = new Service({ dataDirectory, apiKey, environment: await atFixedTime() });
const browser = await launchChromium();
try {
  const url = await service.ready();
  // More than the demo, from a seed, so that each run shows the same.
  await fetch(`${url}/v1/integrations/sources`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({
      type: "simulator",
      name: "Masts of the north",
      signals: 600,
      readingsPerSecond: 600,
      seed: 7,
      scenario: "fading",
    }),
  });
  const context = await browser.newContext();
  const page = await context.newPage();
  await signInAsFirstOwner(page, url, service.stdout);
  await page.waitForTimeout(SETTLE_MS);
  for (const colorScheme of ["light", "dark"] as const)
    for (const [width, height] of SIZES) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height });
      for (const [name, { path, ...one }] of Object.entries(PAGES)) {
        await page.goto(url + path);
        await page.getByRole("heading", { level: 1 }).waitFor();
        if ("isFirst" in one) await page.locator("main [data-row] a").first().click();
        await page.waitForTimeout(3_000);
        await page.screenshot({ path: join(into, `${name}-${colorScheme}-${width}.png`) });
      }
    }
  if (values.readme) {
    await page.emulateMedia({ colorScheme: "dark" });
    await page.setViewportSize({ width: 1280, height: 700 });
    await page.goto(url);
    await page.waitForTimeout(5_000);
    await page.screenshot({ path: README_PICTURE });
  }
  process.stdout.write(`${into}\n`);
} finally {
  await browser.close();
  await service.end();
  await rm(dataDirectory, { recursive: true, force: true });
}
