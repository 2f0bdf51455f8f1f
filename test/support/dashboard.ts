import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { openChromium } from "./chromium.ts";
import { temporaryDirectory } from "./directory.ts";
import { signInAsFirstOwner } from "./first-owner.ts";
import { startService } from "./service.ts";

/**
 * A service, and a browser in which its first owner has just signed in; and what its pages complain of. `front` gives the
 * address that the browser is to use instead of the service's.
 */
export const openDashboard = async (
  environment: Readonly<Record<string, string>> = {},
  front: (url: string) => Promise<string> = async (url) => url,
) => {
  const dataDirectory = await temporaryDirectory();
  const { service } = await startService({ dataDirectory, environment });
  const url = await front(await service.ready());
  const { context, complaints } = await openChromium();
  const outside: string[] = [];
  context.on("request", (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol !== "data:" && protocol !== "blob:" && origin !== url) outside.push(request.url());
  });
  const page = await context.newPage();
  await signInAsFirstOwner(page, url, service.stdout);
  return { service, dataDirectory, url, context, page, complaints, outside };
};

/** Nothing left the host, and the browser had nothing to complain of but what the service refused. */
export const isSound = (
  { outside, complaints }: { outside: string[]; complaints: string[] },
  refused: RegExp | null = null,
) => {
  expect(outside).toEqual([]);
  expect(complaints.filter((complaint) => !refused?.test(complaint))).toEqual([]);
};

/** A browser in which nobody is signed in. */
export const strangerBeside = async (page: Page): Promise<Page> => {
  const browser = page.context().browser();
  if (browser === null) throw new Error("the browser is gone");
  return (await browser.newContext()).newPage();
};

/** As narrow as a page has to be usable without moving it sideways: WCAG 2.2, 1.4.10 (Reflow). */
export const NARROW_PX = 320;
const WIDTH_ONCE_DRAWN = `new Promise((resolve) => requestAnimationFrame(() =>
  requestAnimationFrame(() => resolve(document.documentElement.scrollWidth))))`;
/** The page as it is drawn, with what lies past the window's right edge, CSS px. */
export const widthOnceDrawn = (page: Page) => page.evaluate<number>(WIDTH_ONCE_DRAWN);

/** What is hard to use for somebody, by axe's rules of WCAG 2.2 AA; empty: nothing. */
export const barriersOf = async (page: Page): Promise<string[]> => {
  const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
  const { violations } = await new AxeBuilder({ page })
    // Of what is as it should be nothing is described: a quarter of an analysis goes into that, and nobody reads it.
    .options({ resultTypes: ["violations"] })
    .withTags(tags)
    .setLegacyMode()
    .analyze();
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} ${target}: ${failureSummary}`),
  );
};
