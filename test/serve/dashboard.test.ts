import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openTestEngines, startTestServe, type TestEngines, type TestServe } from "../support/serve.ts";

const PAGE =
  '<!doctype html><title>Signals</title><script type="module" src="/dashboard/main-1.js"></script>';
const SCRIPT = 'console.log("signals")';
const BROWSER = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };

let directory: string;
let engines: TestEngines;
let serve: TestServe;
let unbuilt: TestServe;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "sos-dashboard-"));
  await mkdir(join(directory, "dashboard"));
  await writeFile(join(directory, "index.html"), PAGE);
  await writeFile(join(directory, "dashboard", "main-1.js"), SCRIPT);
  await writeFile(join(directory, "dashboard", "main-1.js.gz"), gzipSync(SCRIPT));
  engines = await openTestEngines();
  serve = await startTestServe(engines, { dashboard: directory });
  unbuilt = await startTestServe(engines, { dashboard: join(directory, "nothing") });
});
afterAll(async () => {
  await serve.stop();
  await unbuilt.stop();
  await engines.close();
  await rm(directory, { recursive: true, force: true });
});

const ask = (path: string, headers: Record<string, string> = BROWSER, from = serve) =>
  fetch(from.url + path, { headers, redirect: "manual" });

describe("the dashboard", () => {
  test("is at the service's address for browsers, and the greeting there for programs", async () => {
    const page = await ask("/");
    expect([page.status, page.headers.get("content-type"), page.headers.get("vary")]).toEqual([
      200,
      "text/html; charset=utf-8",
      "Accept",
    ]);
    expect(await page.text()).toBe(PAGE);
    const greeting = await ask("/", { accept: "*/*" });
    expect(greeting.headers.get("content-type")).toContain("application/json");
    expect(greeting.headers.get("vary")).toBe("Accept");
    expect(await greeting.json()).toMatchObject({ version: "0.0.0-test" });
  });

  test("is the same page at each of its addresses, and at no other", async () => {
    for (const path of [
      "/signals",
      "/signals/sig_1?last=7d",
      "/alerts",
      "/alerts/rules/new",
      "/settings/team",
    ])
      expect([path, await (await ask(path)).text()]).toEqual([path, PAGE]);
    for (const path of [
      "/no-such-page",
      "/dashboard/",
      "/dashboard/../index.html",
      "/dashboard/%2e%2e/index.html",
    ])
      expect([path, (await ask(path)).status]).toEqual([path, 404]);
  });

  test("says itself that there is nothing at an address that a browser asks for, and the API to programs", async () => {
    const answered = async (path: string, accept: string, from = serve) => {
      const { status, headers } = await ask(path, { accept }, from);
      return [status, headers.get("content-type")?.split(";")[0]];
    };
    const mistyped = await ask("/nothing?at=all");
    expect([mistyped.status, mistyped.headers.get("vary"), await mistyped.text()]).toEqual([
      404,
      "Accept",
      PAGE,
    ]);
    expect(mistyped.headers.get("content-security-policy")).toContain("default-src 'none'");
    const problem = [404, "application/problem+json"];
    expect(await answered("/nothing", "*/*")).toEqual(problem);
    for (const path of [
      "/v1/nothing",
      "/v1",
      "/health/nothing",
      "/metrics/nothing",
      "/oauth/nothing",
      "/.well-known/nothing",
      "/docs/nothing/at/all",
      "/dashboard/main-0.js",
    ])
      expect([path, ...(await answered(path, BROWSER.accept))]).toEqual([path, ...problem]);
    expect(await answered("/nothing", BROWSER.accept, unbuilt)).toEqual(problem);
    const posted = await fetch(`${serve.url}/nothing`, { method: "POST", headers: BROWSER });
    expect([posted.status, posted.headers.get("content-type")?.split(";")[0]]).toEqual(problem);
  });

  test("may take nothing from elsewhere, and no script but files of ours", async () => {
    const { headers } = await ask("/alerts");
    const policy = headers.get("content-security-policy") ?? "";
    for (const rule of [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      "worker-src 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
    ])
      expect(policy.split("; ")).toContain(rule);
    expect(policy).not.toContain("unsafe");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    // A new version is there with the next page.
    expect(headers.get("cache-control")).toBe("no-cache");
  });

  test("has files that are kept for ever, and come packed to who can unpack them", async () => {
    const packed = await ask("/dashboard/main-1.js", { "accept-encoding": "gzip" });
    expect(packed.headers.get("content-encoding")).toBe("gzip");
    expect(await packed.text()).toBe(SCRIPT);
    expect(packed.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(packed.headers.get("x-content-type-options")).toBe("nosniff");
    const plain = await ask("/dashboard/main-1.js", { "accept-encoding": "identity" });
    expect(plain.headers.get("content-encoding")).toBeNull();
    expect(await plain.text()).toBe(SCRIPT);
  });

  test("says how it is built where it is not, while the API is there as ever", async () => {
    const page = await ask("/", BROWSER, unbuilt);
    expect(page.status).toBe(503);
    expect(await page.text()).toContain("npm run build");
    expect((await ask("/", { accept: "*/*" }, unbuilt)).status).toBe(200);
  });
});
