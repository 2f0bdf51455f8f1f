import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { z } from "zod";
import { COMMAND_LINE_CLIENT } from "../../../schemas/oauth-client.ts";
import { OAUTH_PATHS } from "../../../schemas/oauth-paths.ts";
import { calledFrom } from "../../support/called-from.ts";
import {
  barriersOf,
  NARROW_PX,
  openDashboard,
  strangerBeside,
  widthOnceDrawn,
} from "../../support/dashboard.ts";
import { OWNER } from "../../support/first-owner.ts";
import { ask, authorizePath, pkce, REDIRECT_URI } from "../../support/oauth.ts";
import { newestMail } from "../../support/people.ts";
import { until } from "../../support/until.ts";

const PAGES = [
  "/",
  "/signals",
  "/alerts",
  "/alerts/rules",
  "/alerts/rules/new",
  "/alerts/silences",
  "/alerts/silences/new",
  "/settings/integrations",
  "/settings/integrations/new",
  "/settings/webhooks",
  "/settings/webhooks/new",
  "/settings/api-keys",
  "/settings/oauth-clients",
  "/settings/team",
  "/settings/access-requests",
  "/settings/audit-log",
  "/settings/security",
  "/settings/versions",
  "/settings/no-such-page",
];
/** The service counts requests. */
const PAUSE_MS = 250;
const WINDOW = { width: 1280, height: 720 };
const PHONE = { width: NARROW_PX, height: 740 };
const COLORS = ["light", "dark"] as const;
const WithId = z.object({ id: z.string() });

/** Pages of one thing each: a signal, an alert, a rule, and sources and webhooks of all kinds that look different. */
const pagesOfThings = async (page: Page): Promise<string[]> => {
  const get = <T>(shape: z.ZodType<T>, path: string) => calledFrom(page, shape, "GET", path);
  const make = (path: string, body: object) => calledFrom(page, WithId, "POST", path, body);
  const { alerts } = await until("an alert", async () => {
    await page.waitForTimeout(PAUSE_MS);
    const found = await get(
      z.object({ alerts: z.array(WithId.extend({ signalId: z.string() })) }),
      "/v1/alerts",
    );
    return found.alerts.length > 0 ? found : null;
  });
  const { rules } = await get(z.object({ rules: z.array(WithId) }), "/v1/alerts/rules");
  const { sources } = await get(z.object({ sources: z.array(WithId) }), "/v1/integrations/sources");
  const push = await make("/v1/integrations/sources", { type: "push", name: "Pushed" });
  const socket = await make("/v1/integrations/sources", {
    type: "websocket",
    name: "Away",
    url: "ws://127.0.0.1:1/",
  });
  const webhook = await make("/v1/integrations/webhooks", {
    url: "https://hooks.example/signals",
    name: "Pager",
    events: ["alert.firing"],
  });
  return [
    ...alerts.slice(0, 1).flatMap(({ id, signalId }) => [`/alerts/${id}`, `/signals/${signalId}`]),
    ...rules.slice(0, 1).map(({ id }) => `/alerts/rules/${id}`),
    ...[...sources, push, socket].map(({ id }) => `/settings/integrations/${id}`),
    `/settings/webhooks/${webhook.id}`,
  ];
};

/** Of each row of links, the one that is of the page shown, where it is out of sight. */
const outOfSight = (page: Page) =>
  page.evaluate<string[]>(`[...document.querySelectorAll("nav [data-status=active]")].filter((link) => {
    const { left, right } = link.getBoundingClientRect();
    return left < -1 || right > innerWidth + 1;
  }).map((link) => link.textContent)`);

test("every page can be used by everybody, light and dark, wide and narrow, and none is wider than the window", async () => {
  const { page, url, complaints, outside } = await openDashboard();
  const pages = [...PAGES, ...(await pagesOfThings(page))];
  expect(pages.length).toBe(PAGES.length + 7);
  const barriers: string[] = [];
  const wide: string[] = [];
  for (const path of pages) {
    await page.setViewportSize(WINDOW);
    await page.goto(url + path);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.waitForLoadState("networkidle");
    for (const colorScheme of COLORS) {
      await page.emulateMedia({ colorScheme });
      barriers.push(...(await barriersOf(page)).map((barrier) => `${colorScheme} ${path} ${barrier}`));
    }
    await page.setViewportSize(PHONE);
    const width = await widthOnceDrawn(page);
    if (width > PHONE.width) wide.push(`${path} ${width}`);
    wide.push(...(await outOfSight(page)).map((link) => `${path} hides where it is: ${link}`));
    barriers.push(...(await barriersOf(page)).map((barrier) => `narrow ${path} ${barrier}`));
  }
  expect(barriers).toEqual([]);
  expect(wide).toEqual([]);
  expect(outside).toEqual([]);
  expect(complaints.filter((complaint) => !complaint.includes("status of 404"))).toEqual([]);
});

/** Pages that somebody passes on a way: each is looked at in both themes, and in a narrow window. */
const passedBy = () => {
  const barriers: string[] = [];
  const seen = async (page: Page, title: string) => {
    await page.getByRole("heading", { level: 1, name: title, exact: true }).waitFor();
    const look = async (how: string) =>
      void barriers.push(...(await barriersOf(page)).map((barrier) => `${how} ${title} ${barrier}`));
    for (const colorScheme of COLORS) {
      await page.emulateMedia({ colorScheme });
      await look(colorScheme);
    }
    await page.setViewportSize(PHONE);
    const width = await widthOnceDrawn(page);
    if (width > PHONE.width) barriers.push(`${title} is ${width} px wide`);
    await look("narrow");
    await page.setViewportSize(WINDOW);
  };
  return { barriers, seen };
};

test("who is not in yet can use each page that lets them in, and whoever is, those that let programs in", async () => {
  const { page, url } = await openDashboard();
  const email = "vera@example.org";
  await calledFrom(page, WithId, "POST", "/v1/invitations", { email, role: "viewer" });
  const program = await calledFrom(page, WithId, "POST", "/v1/oauth/clients", {
    name: "Wallboard",
    grants: ["authorization_code"],
    scopes: ["read"],
    redirectUris: [REDIRECT_URI],
  });
  const mail = await until("the invitation", () => newestMail(url, email));
  const stranger = await strangerBeside(page);
  const { barriers, seen } = passedBy();
  await stranger.goto(`${url}/sign-in`);
  await seen(stranger, "Sign in");
  await stranger.getByLabel("E-mail address").fill(email);
  await stranger.getByLabel("Password").fill("not what it is");
  await stranger.getByRole("button", { name: "Sign in" }).click();
  await stranger.getByRole("alert").waitFor();
  await seen(stranger, "Sign in");
  await stranger.goto(`${url}/request-access`);
  await seen(stranger, "Ask for access");
  await stranger.goto(url + mail.path);
  await seen(stranger, "You are invited");
  await stranger.getByRole("button", { name: "Confirm my address" }).click();
  await stranger.getByLabel("New password").waitFor();
  await seen(stranger, "Choose a password");
  await stranger.goto(url + mail.path);
  await seen(stranger, "This link works no more");

  await page.goto(url + authorizePath(program, { scope: "read", code_challenge: pkce().challenge }));
  await seen(page, "Let a program in?");
  const { body: device } = await ask(
    url,
    OAUTH_PATHS.deviceCode,
    { id: COMMAND_LINE_CLIENT, clientSecret: null },
    { scope: "read" },
  );
  await page.goto(url + OAUTH_PATHS.device);
  await seen(page, "Connect a device");
  await page.getByLabel("Code").fill("WRNG-CODE");
  await page.getByRole("button", { name: "Go on" }).click();
  await page.getByRole("alert").waitFor();
  await seen(page, "Connect a device");
  await page.getByLabel("Code").fill(device.user_code);
  await page.getByRole("button", { name: "Go on" }).click();
  await page.getByText(device.user_code).waitFor();
  await seen(page, "Let a device in?");
  await page.getByRole("button", { name: "Allow" }).click();
  await seen(page, "Done");
  expect(barriers).toEqual([]);
});

test("who has forgotten a password, or has to prove who they are, can use each page on the way", async () => {
  const { page, url } = await openDashboard();
  const { barriers, seen } = passedBy();
  const stranger = await strangerBeside(page);
  await stranger.goto(`${url}/forgot-password`);
  await seen(stranger, "Set a new password");
  await stranger.getByLabel("E-mail address").fill(OWNER.email);
  await stranger.getByRole("button", { name: "Send a link" }).click();
  await seen(stranger, "Look into your mailbox");
  const mail = await until("the e-mail", () => newestMail(url, OWNER.email));
  await stranger.goto(url + mail.path);
  await seen(stranger, "Set a new password");
  await stranger.getByLabel("New password").fill("passwordpassword");
  await stranger.getByRole("button", { name: "Set password" }).click();
  await stranger.getByRole("alert").waitFor();
  await seen(stranger, "Set a new password");
  await page.goto(`${url}/prove?next=/link`);
  await seen(page, "Say once more who you are");
  await page.getByLabel("Password").fill("not what it is");
  await page.getByRole("button", { name: "Go on" }).click();
  await page.getByRole("alert").waitFor();
  await seen(page, "Say once more who you are");
  await page.getByLabel("Password").fill(OWNER.password);
  await page.getByRole("button", { name: "Go on" }).click();
  await seen(page, "Sign in from elsewhere");
  expect(barriers).toEqual([]);
});

test("every dialog and menu can be used by everybody, light and dark", async () => {
  const { page, url, outside } = await openDashboard();
  const open: readonly (readonly [string, () => Promise<void>])[] = [
    ["palette", () => page.keyboard.press("Control+k")],
    ["keys", () => page.keyboard.press("?")],
    ["menu", () => page.getByRole("button", { name: /olga@example.org/ }).click()],
    [
      "question",
      async () => {
        await page.goto(`${url}/alerts/rules`);
        await page.getByRole("link", { name: /^Demo/ }).click();
        await page.getByRole("button", { name: "Delete" }).click();
      },
    ],
    [
      "leave guard",
      async () => {
        await page.goto(`${url}/alerts/rules/new`);
        await page.getByLabel("Name", { exact: true }).fill("x");
        await page.getByRole("link", { name: "Overview" }).click();
      },
    ],
  ];
  const barriers: string[] = [];
  for (const colorScheme of COLORS)
    for (const [what, show] of open) {
      await page.emulateMedia({ colorScheme });
      await page.goto(url);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await show();
      await page.locator("[role=dialog]:visible, [role=menu]:visible").first().waitFor();
      barriers.push(...(await barriersOf(page)).map((barrier) => `${colorScheme} ${what} ${barrier}`));
      await page.keyboard.press("Escape");
    }
  expect(barriers).toEqual([]);
  expect(outside).toEqual([]);
});

test("a look that somebody chooses is that of each page, whatever their system's is, and no less fit for everybody", async () => {
  const { page, url } = await openDashboard();
  const barriers: string[] = [];
  const ground = () => page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
  const grounds: string[] = [];
  for (const chosen of COLORS) {
    await page.emulateMedia({ colorScheme: chosen === "dark" ? "light" : "dark", reducedMotion: "reduce" });
    await page.getByRole("button", { name: /olga@example.org/ }).click();
    await page.getByRole("menuitemradio", { name: new RegExp(chosen, "i") }).click();
    for (const path of ["/", "/alerts", "/settings/webhooks/new"]) {
      await page.goto(url + path);
      await page.getByRole("heading", { level: 1 }).waitFor();
      barriers.push(...(await barriersOf(page)).map((barrier) => `${chosen} ${path} ${barrier}`));
    }
    grounds.push(await ground());
    await page.emulateMedia({ colorScheme: chosen });
    expect(await ground()).toBe(grounds.at(-1));
  }
  expect(grounds[0]).not.toBe(grounds[1]);
  expect(barriers).toEqual([]);
});

test("who has to say once more who they are, or is signed out, can do so, light and dark", async () => {
  const { page, context, url, outside } = await openDashboard();
  const barriers: string[] = [];
  const look = async (name: string) => {
    const dialog = page.getByRole("dialog", { name });
    await dialog.waitFor();
    for (const colorScheme of COLORS) {
      await page.emulateMedia({ colorScheme });
      barriers.push(...(await barriersOf(page)).map((barrier) => `${colorScheme} ${name} ${barrier}`));
    }
    return dialog;
  };
  // As ten minutes after somebody has said it.
  const unproven = {
    type: "/problems/proof_required",
    title: "Say once more who you are first",
    status: 403,
    code: "proof_required",
    detail: "say once more who you are",
    requestId: "req_1",
  };
  await page.route(
    (asked) => asked.pathname === "/v1/api-keys",
    (route) =>
      route.request().method() === "POST"
        ? route.fulfill({ status: 403, contentType: "application/problem+json", json: unproven })
        : route.continue(),
  );
  await page.goto(`${url}/settings/api-keys`);
  await page.getByRole("button", { name: "New key" }).first().click();
  await page.getByLabel("Name", { exact: true }).fill("Wallboard");
  await page.getByRole("button", { name: "Create the key" }).click();
  const proof = await look("Say once more who you are");
  await proof.getByRole("button", { name: "Cancel" }).click();
  await proof.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Create the key" }).waitFor();
  await page.unrouteAll();
  await context.clearCookies();
  await page.getByRole("button", { name: "Create the key" }).dispatchEvent("click");
  await look("You are signed out");
  expect(barriers).toEqual([]);
  expect(outside).toEqual([]);
});
