import { access } from "node:fs/promises";
import { type Browser, chromium, type LaunchOptions } from "playwright-core";

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

/** Keeps pages as they are for whoever goes back to them: as browsers do, unless they are driven by a program. */
export const KEEPING_PAGES = { ignoreDefaultArgs: ["--disable-back-forward-cache"] };

/** A browser without a window, until it is closed. */
export const launchChromium = async (options: LaunchOptions = {}): Promise<Browser> =>
  chromium.launch({ executablePath: await installed(), args: ["--no-sandbox"], ...options });
