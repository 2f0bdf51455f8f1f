import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { WebSocketServer } from "ws";
import { z } from "zod";
import { Api } from "../test/support/api.ts";
import { launchChromium } from "../test/support/chromium-process.ts";
import { signInAsFirstOwner } from "../test/support/first-owner.ts";
import { portOf } from "../test/support/port.ts";
import { newApiKey, Service } from "../test/support/service-process.ts";
import { until } from "../test/support/until.ts";
import { type Bench, type Measured, type RunOptions, rounded, wait } from "./bench.ts";

const WithId = z.object({ id: z.string() });
const DIST = new URL("../src/dashboard/dist/", import.meta.url);
/** A slow machine on a slow line: what a budget is for. */
const SLOW = { cpu: 4, bitsPerSecond: 10_000_000, latencyMs: 40 };
const LOADS = 5;
/** How many signals, and how often each is told anew a second. */
const WALLS = [
  { signals: 10_000, updatesPerSecond: 10 },
  { signals: 100_000, updatesPerSecond: 1 },
];
/** As many as the service shows of a source that is tried. */
const TRIED_MESSAGES = 20;
const KNOWN_MAX_MS = 300_000;
const WATCHED_SECONDS = 20;
const CHARTS = 300;
/** What a chart that is left open shows: from some time on as much goes as comes. */
const SPAN = "2m";
/** Long enough for that, and all else that is shown of the newest, to be as full as it gets. */
const SETTLED_SECONDS = 180;
const LEFT_OPEN_SECONDS = 600;

const packed = async (paths: Iterable<string>): Promise<number> => {
  let bytes = 0;
  for (const path of paths) bytes += gzipSync(await readFile(new URL(path, DIST)), { level: 9 }).length;
  return rounded(bytes / 1_000, 1);
};

/** Of what the first page fetches until it rests, and of that what it needs to show anything. */
const sizes = async (context: BrowserContext, url: string): Promise<Measured> => {
  const page = await context.newPage();
  const fetched = new Set<string>();
  page.on("response", (response) => {
    const [, path] = /\/(dashboard\/[^/]+\.(?:js|css))$/.exec(response.url()) ?? [];
    if (path !== undefined) fetched.add(path);
  });
  await page.goto(url, { waitUntil: "networkidle" });
  await page.close();
  const html = await readFile(new URL("index.html", DIST), "utf8");
  const first = [...html.matchAll(/"\/(dashboard\/[^"]+\.js)"/g)].flatMap(([, path]) => path ?? []);
  const figures = {
    "kB of scripts": await packed([...fetched].filter((path) => path.endsWith(".js"))),
    "of them before anything is shown": await packed(first),
    "kB of styles": await packed([...fetched].filter((path) => path.endsWith(".css"))),
  };
  return { name: "first page, packed", figures };
};

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

const middle = (values: readonly number[]): number =>
  rounded(
    percentile(
      values.toSorted((a, b) => a - b),
      0.5,
    ),
  );

/** Each load in a browser that has nothing of it yet. */
const loads = async (
  browser: Browser,
  state: Awaited<ReturnType<BrowserContext["storageState"]>>,
  url: string,
) => {
  const painted: number[] = [];
  const usable: number[] = [];
  for (let load = 0; load < LOADS; load++) {
    const context = await browser.newContext({ storageState: state });
    const page = await context.newPage();
    const devtools = await context.newCDPSession(page);
    await devtools.send("Emulation.setCPUThrottlingRate", { rate: SLOW.cpu });
    await devtools.send("Network.enable");
    const throughput = SLOW.bitsPerSecond / 8;
    await devtools.send("Network.emulateNetworkConditions", {
      offline: false,
      latency: SLOW.latencyMs,
      downloadThroughput: throughput,
      uploadThroughput: throughput,
    });
    // By the page's own clock: a question from outside would come late on a machine so slow.
    await page.addInitScript(`new MutationObserver((_, observer) => {
      if (document.querySelector("h1") === null) return;
      performance.mark("usable");
      observer.disconnect();
    }).observe(document, { childList: true, subtree: true })`);
    await page.goto(url, { waitUntil: "commit" });
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    usable.push(await page.evaluate<number>("performance.getEntriesByName('usable')[0]?.startTime ?? 0"));
    painted.push(
      await page.evaluate<number>(
        "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0",
      ),
    );
    await context.close();
  }
  const figures = { "ms to the first paint": middle(painted), "ms until it can be used": middle(usable) };
  return { name: `first load, ${SLOW.cpu} times slower, 10 Mb/s`, figures };
};

/** As many messages as a source that is tried shows, each of a hundred readings. */
const feedToMap = async (): Promise<WebSocketServer> => {
  const masts = Array.from({ length: 100 }, (_, mast) => ({ label: `mast ${mast}`, rx: -60 - (mast % 40) }));
  const feed = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  feed.on("connection", (socket) => {
    for (let message = 0; message < TRIED_MESSAGES; message++) socket.send(JSON.stringify({ masts }));
  });
  await once(feed, "listening");
  return feed;
};

/** From the click by which a mapping is whole until its readings are there. */
const preview = async (context: BrowserContext, url: string): Promise<Measured> => {
  const feed = await feedToMap();
  const page = await context.newPage();
  const button = (name: string | RegExp) => page.getByRole("button", { name, exact: true }).first();
  const took: number[] = [];
  for (let time = 0; time < LOADS; time++) {
    await page.goto(`${url}/settings/integrations/new`);
    await page.getByLabel("Address", { exact: true }).fill(`ws://127.0.0.1:${portOf(feed)}/`);
    await button("Connect").click();
    await page.getByText("● Connected").waitFor();
    await button('"mast 7"').click();
    await button("Signal").click();
    await button("-67").click();
    await button("Strength").waitFor();
    const shown = `new Promise((resolve) => {
      const from = performance.now();
      new MutationObserver((_, observer) => {
        if (document.querySelector("main td") === null) return;
        observer.disconnect();
        requestAnimationFrame(() => resolve(performance.now() - from));
      }).observe(document, { childList: true, subtree: true });
      [...document.querySelectorAll("button")].find((one) => one.textContent === "Strength").click();
    })`;
    took.push(await page.evaluate<number>(shown));
  }
  await page.close();
  feed.close();
  return { name: "a mapping is seen", figures: { "ms until its readings are there": middle(took) } };
};

type Wall = (typeof WALLS)[number];

const shownOn = async (page: Page): Promise<number> => {
  const counts = await page.getByRole("listitem").locator("a > b").allTextContents();
  return counts.reduce((sum, text) => sum + Number(text.replaceAll(/\D/g, "")), 0);
};

/** Intervals of frames, and tasks that hold them up, while every cell of the wall changes. */
const wall = async (page: Page, { signals, updatesPerSecond }: Wall, seconds: number): Promise<Measured> => {
  await until("all signals to be shown", async () => (await shownOn(page)) >= signals, KNOWN_MAX_MS);
  const watch = `new Promise((resolve) => {
    const frames = []; let long = 0, last = performance.now();
    const observer = new PerformanceObserver((list) => { long += list.getEntries().length; });
    observer.observe({ type: "longtask" });
    const end = last + ${seconds * 1_000};
    const frame = (now) => { frames.push(now - last); last = now;
      if (now < end) requestAnimationFrame(frame);
      else { observer.disconnect(); resolve({ frames, long }); } };
    requestAnimationFrame(frame);
  })`;
  const { frames, long } = await page.evaluate<{ frames: number[]; long: number }>(watch);
  const sorted = frames.toSorted((a, b) => a - b);
  const figures = {
    "frame ms, p50": rounded(percentile(sorted, 0.5), 1),
    "frame ms, p95": rounded(percentile(sorted, 0.95), 1),
    "tasks over 50 ms": long,
  };
  return { name: `${signals} signals, ${updatesPerSecond} updates/s each`, figures };
};

const countsOf = async (context: BrowserContext, page: Page) => {
  const devtools = await context.newCDPSession(page);
  await devtools.send("HeapProfiler.collectGarbage");
  const { nodes, jsEventListeners } = await devtools.send("Memory.getDOMCounters");
  const { usedSize, backingStorageSize } = await devtools.send("Runtime.getHeapUsage");
  await devtools.detach();
  return { nodes, listeners: jsEventListeners, mb: (usedSize + backingStorageSize) / 1_000_000 };
};
type Counts = Awaited<ReturnType<typeof countsOf>>;

const more = (before: Counts, after: Counts) => ({
  "nodes more": after.nodes - before.nodes,
  "listeners more": after.listeners - before.listeners,
  "MB of heap more": rounded(after.mb - before.mb, 1),
});

/** Charts opened and closed again: what stays behind. */
const charts = async (context: BrowserContext, page: Page): Promise<Measured> => {
  const open = async () => {
    await page
      .getByRole("link", { name: /^demo-/ })
      .first()
      .click();
    await page.getByRole("img", { name: "Strength over time" }).waitFor();
    await page.goBack();
    await page.getByRole("row").nth(1).waitFor();
  };
  for (let warm = 0; warm < 10; warm++) await open();
  const before = await countsOf(context, page);
  for (let chart = 0; chart < CHARTS; chart++) await open();
  const figures = more(before, await countsOf(context, page));
  return { name: `${CHARTS} charts opened and closed`, figures };
};

/** The overview, and a signal's chart, each in a window of its own in which nothing is done: what gathers there. */
async function* leftOpen(context: BrowserContext, url: string, seconds: number): AsyncGenerator<Measured> {
  const [overview, signal] = [await context.newPage(), await context.newPage()];
  await overview.goto(url);
  await signal.goto(`${url}/signals`);
  await signal
    .getByRole("link", { name: /^demo-/ })
    .first()
    .click();
  await signal.waitForURL(/signals\/sig_/);
  await signal.goto(`${signal.url()}?last=${SPAN}`);
  await signal.getByRole("img", { name: "Strength over time" }).waitFor();
  const counts = async () => [await countsOf(context, overview), await countsOf(context, signal)] as const;
  await wait(SETTLED_SECONDS);
  const before = await counts();
  await wait(seconds);
  const after = await counts();
  const minutes = rounded(seconds / 60, 1);
  yield { name: `overview left open for ${minutes} min`, figures: more(before[0], after[0]) };
  yield { name: `chart left open for ${minutes} min`, figures: more(before[1], after[1]) };
  await overview.close();
  await signal.close();
}

async function* round({ seconds, wants }: RunOptions): AsyncGenerator<Measured> {
  const directory = await mkdtemp(join(tmpdir(), "sos-bench-"));
  const apiKey = newApiKey();
  const service = new Service({ dataDirectory: directory, apiKey });
  const browser = await launchChromium();
  try {
    const url = await service.ready();
    const context = await browser.newContext();
    const page = await context.newPage();
    await signInAsFirstOwner(page, url, service.stdout);
    if (wants("first page")) yield await sizes(context, url);
    if (wants("first load")) yield await loads(browser, await context.storageState(), url);
    if (wants("a mapping is seen")) yield await preview(context, url);
    if (wants("charts")) {
      await page.goto(`${url}/signals`);
      yield await charts(context, page);
    }
    if (wants("left open")) yield* leftOpen(context, url, seconds ?? LEFT_OPEN_SECONDS);
    for (const one of WALLS) {
      if (!wants(`${one.signals} signals`)) continue;
      const simulator = new Api(url, apiKey);
      const source = await simulator.expect(WithId, "POST", "/v1/integrations/sources", {
        type: "simulator",
        name: "wall",
        signals: one.signals,
        readingsPerSecond: one.signals * one.updatesPerSecond,
        scenario: "fading",
      });
      await page.goto(url);
      yield await wall(page, one, seconds ?? WATCHED_SECONDS);
      await simulator.call("PATCH", `/v1/integrations/sources/${source.id}`, { enabled: false });
    }
  } finally {
    await browser.close();
    await service.end("SIGKILL");
    await rm(directory, { recursive: true, force: true });
  }
}

export const dashboard: Bench = {
  about:
    "The dashboard in Chromium without a window, on the machine that runs the service, too: what its first page weighs, how soon it is there on a slow machine and line, how soon the readings of a source that is mapped are seen, how smoothly 10,000 and 100,000 signals change, what charts leave behind, and what gathers in pages that are left open.",
  parameters: {
    slow: SLOW,
    loads: LOADS,
    walls: WALLS.map(({ signals, updatesPerSecond }) => `${signals} × ${updatesPerSecond}/s`).join(", "),
    triedMessages: TRIED_MESSAGES,
    charts: CHARTS,
    chartLeftOpen: SPAN,
    leftOpenSeconds: LEFT_OPEN_SECONDS,
  },
  round,
};
