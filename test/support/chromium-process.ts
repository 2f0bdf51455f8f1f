import { access } from "node:fs/promises";
import { type Browser, chromium } from "playwright-core";

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

/** A browser without a window, until it is closed. */
export const launchChromium = async (): Promise<Browser> =>
  chromium.launch({ executablePath: await installed(), args: ["--no-sandbox"] });
