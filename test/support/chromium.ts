import type { Browser, BrowserContext } from "playwright-core";
import { afterAll, onTestFinished } from "vitest";
import { launchChromium } from "./chromium-process.ts";

/** One for all tests of a file. */
let launched: Promise<Browser> | null = null;
afterAll(async () => (await launched)?.close());

/** A browser as people have it, with nothing in it of the test before, until the test is over; and what its pages complain of. */
export const openChromium = async (): Promise<{ context: BrowserContext; complaints: string[] }> => {
  launched ??= launchChromium();
  const browser = await launched;
  onTestFinished(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
  });
  const context = await browser.newContext();
  const complaints: string[] = [];
  context.on("weberror", (error) => complaints.push(String(error.error())));
  context.on("console", (message) => {
    if (["error", "warning"].includes(message.type()))
      complaints.push(`${message.text()} ${message.location().url}`);
  });
  return { context, complaints };
};
