import { access } from "node:fs/promises";
import { type BrowserContext, chromium } from "playwright-core";
import { onTestFinished } from "vitest";

const PLACES = [
  process.env.CHROMIUM,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
const installed = async (): Promise<string> => {
  for (const place of PLACES) if (place !== undefined && (await isThere(place))) return place;
  throw new Error("Chromium is not installed: apt-get install chromium, or say where it is in CHROMIUM");
};

/** A browser as people have it, until the test is over; and what its pages complain of. */
export const openChromium = async (): Promise<{ context: BrowserContext; complaints: string[] }> => {
  const browser = await chromium.launch({ executablePath: await installed(), args: ["--no-sandbox"] });
  onTestFinished(() => browser.close());
  const context = await browser.newContext();
  const complaints: string[] = [];
  context.on("weberror", (error) => complaints.push(String(error.error())));
  context.on("console", (message) => {
    if (["error", "warning"].includes(message.type()))
      complaints.push(`${message.text()} ${message.location().url}`);
  });
  return { context, complaints };
};
