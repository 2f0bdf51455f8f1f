import type { BrowserContext } from "playwright-core";
import { onTestFinished } from "vitest";
import { launchChromium } from "./chromium-process.ts";

/** A browser as people have it, until the test is over; and what its pages complain of. */
export const openChromium = async (): Promise<{ context: BrowserContext; complaints: string[] }> => {
  const browser = await launchChromium();
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
