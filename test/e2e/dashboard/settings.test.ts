import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { z } from "zod";
import { calledFrom } from "../../support/called-from.ts";
import { isSound, openDashboard, strangerBeside } from "../../support/dashboard.ts";
import { OWNER } from "../../support/first-owner.ts";
import { FloodServer } from "../../support/flood-server.ts";
import { newestMail } from "../../support/people.ts";
import { until } from "../../support/until.ts";

const WithId = z.object({ id: z.string() });
const SOURCES = "/v1/integrations/sources";
const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });
const heading = (page: Page, name: string) => page.getByRole("heading", { name, level: 1 });
const itemOf = (page: Page, list: string, text: string | RegExp) =>
  page.getByRole("list", { name: list }).getByRole("listitem").filter({ hasText: text });

const signIn = async (page: Page, url: string, email: string, password: string): Promise<void> => {
  await page.goto(`${url}/sign-in`);
  await page.getByLabel("E-mail address").fill(email);
  await page.getByLabel("Password").fill(password);
  await button(page, "Sign in").click();
  await heading(page, "Overview").waitFor();
};

test("a program is registered with and without a way back, and what is refused is heard where it is", async () => {
  const { page, url, ...seen } = await openDashboard();
  await page.goto(`${url}/settings/oauth-clients`);
  await button(page, "New client").first().click();
  await page.getByLabel("Name", { exact: true }).fill("Wallboard");
  await button(page, "Register it").click();
  const back = page.getByLabel("Where browsers are sent back to");
  const said = page.getByRole("alert");
  await said.filter({ hasText: "must name where authorization_code leads back to" }).waitFor();
  expect(await back.getAttribute("aria-invalid")).toBe("true");
  await back.fill("not an address");
  await button(page, "Register it").click();
  await said.filter({ hasText: "must be an address like" }).waitFor();
  await page.getByLabel("people allow it in a browser").uncheck();
  await button(page, "Register it").click();
  // It has no field of its own while none of them is chosen.
  await said.first().waitFor();
  await page.getByLabel("it acts for itself").check();
  await button(page, "Register it").click();
  await page.getByText("Its client_id is").waitFor();
  await button(page, "I have it").click();
  const alone = itemOf(page, "OAuth clients", "Wallboard");
  await alone.getByText("it acts for itself").waitFor();

  await button(page, "New client").click();
  await page.getByLabel("Name", { exact: true }).fill("Portal");
  await back.fill("https://portal.example/callback");
  await button(page, "Register it").click();
  await button(page, "I have it").click();
  await itemOf(page, "OAuth clients", "Portal").getByText("people allow it in a browser").waitFor();

  await button(page, "New secret of Wallboard").click();
  const question = page.getByRole("dialog", { name: "A new secret for “Wallboard”?" });
  await question.getByRole("button", { name: "Cancel" }).click();
  expect(await page.getByText("Copy the client secret now.").count()).toBe(0);
  await button(page, "New secret of Wallboard").click();
  await question.getByRole("button", { name: "Make a new secret" }).click();
  await page.getByText("Copy the client secret now.").waitFor();
  await question.waitFor({ state: "detached" });
  isSound(seen, /status of 400/);
});

test("a stranger asks for access, an owner lets them look, and what only others may do is told them", async () => {
  const { page, url, ...seen } = await openDashboard();
  const email = "vera@example.org";
  const password = "nine slow foxes on a roof";
  const stranger = await strangerBeside(page);
  await stranger.goto(`${url}/request-access`);
  await stranger.getByLabel("E-mail address").fill(email);
  await stranger.getByLabel("What do you want to use it for?").fill("I watch forty masts of a rescue.");
  await button(stranger, "Ask for access").click();
  await heading(stranger, "Thank you").waitFor();

  await page.goto(`${url}/settings/access-requests`);
  const request = itemOf(page, "Access requests", email);
  await request.getByText("forty masts").waitFor();
  await request.getByRole("button", { name: "Approve" }).click();
  const question = page.getByRole("dialog", { name: `Let ${email} in?` });
  expect(await question.getByLabel("viewer").isChecked()).toBe(true);
  await question.getByRole("button", { name: "Invite them" }).click();
  await request.getByText("approved").waitFor();
  const path = await until("the invitation", async () => {
    const mail = await newestMail(url, email);
    return mail?.path.startsWith("/invitations/") ? mail.path : null;
  });
  await stranger.goto(url + path);
  await button(stranger, "Confirm my address").click();
  await stranger.getByLabel("New password").fill(password);
  await button(stranger, "Set password").click();
  await stranger.waitForURL(({ pathname }) => ["/", "/sign-in"].includes(pathname));
  if (new URL(stranger.url()).pathname === "/sign-in") await signIn(stranger, url, email, password);
  for (const [link, title, what] of [
    ["/settings/integrations/new", "Connect a source", "connect a source"],
    ["/settings/webhooks/new", "New webhook", "have a program told of what happens"],
    ["/alerts/silences/new", "New silence", "silence alerts"],
  ] as const) {
    await stranger.goto(url + link);
    await heading(stranger, title).waitFor();
    await stranger.getByText(`To ${what}, ask an editor or an owner of the account.`).waitFor();
    expect(await stranger.getByRole("main").getByRole("textbox").count()).toBe(0);
  }
  isSound(seen);
});

test("a role is chosen first and changed then, and one's own not without a question", async () => {
  const { page, url, ...seen } = await openDashboard();
  await page.goto(`${url}/settings/team`);
  const role = page.getByRole("combobox", { name: `Role of ${OWNER.email}` });
  const change = button(page, `Change the role of ${OWNER.email}`);
  expect(await change.isDisabled()).toBe(true);
  await role.focus();
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  await until("a choice", async () => (await role.inputValue()) === "viewer");
  await change.click();
  const question = page.getByRole("dialog", { name: "Change your own role?" });
  // Somebody has to be left who says who is in.
  await question.getByRole("button", { name: "Change the role" }).click();
  await question.getByRole("alert").waitFor();
  await question.getByRole("button", { name: "Cancel" }).click();
  await page.reload();
  await until("the role as it was", async () => (await role.inputValue()) === "owner");
  isSound(seen, /status of 4\d\d/);
});

test("the audit log is read by what was done, and downloaded so", async () => {
  const { page, url, ...seen } = await openDashboard();
  await calledFrom(page, WithId, "POST", "/v1/api-keys", { name: "Wallboard", scopes: ["read"] });
  await calledFrom(page, WithId, "POST", SOURCES, { type: "push", name: "Pushed" });
  await page.goto(`${url}/settings/audit-log`);
  const rows = page.getByRole("table").locator("tbody tr");
  await rows.filter({ hasText: "source.created" }).first().waitFor();
  await rows.filter({ hasText: "api_key.created" }).first().waitFor();
  await page.getByLabel("About").selectOption("api key");
  await until("the keys alone", async () => {
    const all = await rows.allInnerTexts();
    return all.length > 0 && all.every((text) => text.includes("api_key."));
  });
  expect(new URL(page.url()).search).toBe("?action=api_key");
  const downloading = page.waitForEvent("download");
  await page.getByRole("link", { name: "Download as CSV" }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toBe("audit-log.csv");
  const [head, ...lines] = (await readFile(await download.path(), "utf8")).trim().split(/\r?\n/);
  expect(head).toContain("action");
  expect(lines.length).toBe(await rows.count());
  expect(lines.every((line) => line.includes("api_key."))).toBe(true);
  isSound(seen);
});

test("where else somebody is signed in is seen, and ended", async () => {
  const { page, url, ...seen } = await openDashboard();
  const other = await strangerBeside(page);
  await signIn(other, url, OWNER.email, OWNER.password);
  await page.goto(`${url}/settings/security`);
  const sessions = page.getByRole("list", { name: "Sessions" }).getByRole("listitem");
  await until("both sessions", async () => (await sessions.count()) === 2);
  await sessions.filter({ hasNotText: "(here)" }).getByRole("button", { name: "End it" }).click();
  await page.getByText("The session has ended.").waitFor();
  await until("one session", async () => (await sessions.count()) === 1);
  await sessions.getByText("(here)").waitFor();
  await other.getByRole("dialog", { name: "You are signed out" }).waitFor();
  isSound(seen);
});

test("what came is of the address that was tried, and another is not saved untried", async () => {
  const { page, url, ...seen } = await openDashboard({ DEMO: "false" });
  const frame = () => JSON.stringify({ id: "roof", rssi: -61 });
  const feed = await FloodServer.start({ readingsPerSecond: 10, readingsPerFrame: 1, frame });
  await page.goto(`${url}/settings/integrations/new`);
  const address = page.getByLabel("Address", { exact: true });
  const save = page.getByRole("button", { name: "Save", exact: true });
  const told = page.getByText("connect again before you save");
  await address.fill(feed.url);
  await button(page, "Connect").click();
  await page.getByText("● Connected").waitFor();
  expect([await save.isDisabled(), await told.count()]).toEqual([false, 0]);
  await address.fill("ws://127.0.0.1:1/");
  await told.waitFor();
  expect(await save.isDisabled()).toBe(true);
  await address.fill(feed.url);
  await told.waitFor({ state: "detached" });
  expect(await save.isDisabled()).toBe(false);
  isSound(seen);
});

test("a source that sends to us is mapped on a message at hand, and put right on what was rejected", async () => {
  const { page, url, ...seen } = await openDashboard({ DEMO: "false" });
  const say = async (value: string | RegExp, part: string) => {
    await button(page, value).click();
    await page.getByRole("button", { name: part, exact: true }).click();
  };
  await page.goto(`${url}/settings/integrations/new`);
  await page.getByLabel("it sends to us").check();
  await page
    .getByLabel("A message of it")
    .fill('{"device":"roof","radio":{"rssi":-60},"n\u202eote":"a\u202e1-b"}');
  // What would turn the text around is to be seen, and what is pointed at is what came.
  await say(/^"a\\u202e1-b"$/, "Signal");
  expect(await page.getByLabel("Signal", { exact: true }).inputValue()).toBe("$['n\u202eote']");
  await page.getByText("n\\u202eote:").waitFor();
  await say(/^"roof"$/, "Signal");
  await page.getByText("Say which value is the strength, too.").waitFor();
  await say(/^-60$/, "Strength");
  await page.getByRole("cell", { name: "roof" }).waitFor();
  await page.getByLabel("Name", { exact: true }).fill("Pushed");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.waitForURL(/src_/);
  const id = new URL(page.url()).pathname.split("/").at(-1);
  await button(page, "See what was rejected").click();
  await page.getByText("Nothing was rejected.").waitFor();
  const message = { device: "roof", radio: { level: -61 }, heard: new Date().toISOString() };
  await calledFrom(page, z.unknown(), "POST", `${SOURCES}/${id}/push`, message);
  await itemOf(page, "Rejected messages", "nothing at $.radio.rssi").waitFor();
  await button(page, "See what was rejected").click();
  await button(page, /^"roof" Signal$/).waitFor();
  await say(/^-61$/, "Strength");
  await say(message.heard, "Time");
  await page.getByRole("cell", { name: "roof" }).waitFor();
  expect(await page.getByLabel("Signal", { exact: true }).inputValue()).toBe("$.device");
  expect(await page.getByLabel("Strength", { exact: true }).inputValue()).toBe("$.radio.level");
  expect(await page.getByLabel("Time", { exact: true }).inputValue()).toBe("$.heard");
  await button(page, "Save the mapping").click();
  await page.getByText("The mapping is saved.").waitFor();
  await button(page, "Try them again").click();
  await itemOf(page, "Its signals", "roof").waitFor();
  await itemOf(page, "Rejected messages", "nothing at").waitFor({ state: "detached" });
  isSound(seen);
});
