import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { isSound, openDashboard } from "../../support/dashboard.ts";
import { FloodServer } from "../../support/flood-server.ts";
import { HANDS, type Hands } from "../../support/hands.ts";
import { startReceiver } from "../../support/receiver.ts";
import { until } from "../../support/until.ts";

const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });
const link = (page: Page, name: string | RegExp) => page.getByRole("link", { name });
const main = (page: Page, name: string) =>
  page.getByRole("navigation", { name: "Main" }).getByRole("link", { name });
const settings = (page: Page, name: string) =>
  page.getByRole("navigation", { name: "Settings" }).getByRole("link", { name });
const heading = (page: Page, name: string) => page.getByRole("heading", { name, level: 1 });

/** The rule on the past, as soon as it is tried with what is typed. */
const tried = async (page: Page, words: RegExp): Promise<void> => {
  const result = page.getByRole("region", { name: "The rule on the past" }).getByText(/^\d+[hd]: /);
  await until(`a try that says ${words}`, async () => words.test((await result.textContent()) ?? ""));
};

/** How many columns of the chart have the shade of a firing from top to bottom, or nearly. */
const shadedColumns = (page: Page): Promise<number> =>
  page.evaluate<number>(`(() => {
    const chart = document.querySelector("section[aria-label='The rule on the past'] canvas");
    const { width, height } = chart;
    // A copy: what is read back is drawn otherwise from then on.
    const copy = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
    copy.drawImage(chart, 0, 0);
    const { data } = copy.getImageData(0, 0, width, height);
    const columns = new Uint32Array(width);
    for (let n = 0; n < width * height; n++) {
      const [red, green, , alpha] = data.subarray(4 * n, 4 * n + 4);
      if (red > green + 40 && alpha > 30 && alpha < 120) columns[n % width]++;
    }
    return columns.filter((count) => count > height / 2).length;
  })()`);

/** Whether the browser would ask before the tab is closed, or loaded anew. */
const isHeld = (page: Page): Promise<boolean> =>
  page.evaluate<boolean>(`!dispatchEvent(new Event("beforeunload", { cancelable: true }))`);

const opened = async (kind: keyof typeof HANDS, environment: Readonly<Record<string, string>> = {}) => {
  const dashboard = await openDashboard(environment);
  const hands: Hands = HANDS[kind](dashboard.page);
  return { ...dashboard, hands };
};

describe.each(["mouse", "keyboard"] as const)("by %s alone", (kind) => {
  test("a first owner sees the demo live, why an alert fired, changes its rule, and removes the demo", async () => {
    const { page, hands, ...seen } = await opened(kind);
    await page.getByRole("listitem").filter({ hasText: "failed" }).first().waitFor();
    const firing = page.getByRole("region", { name: "Alerts that fire" }).getByRole("link");
    await hands.press(firing);
    await heading(page, "Demo: below −50 dBm").waitFor();
    await page.getByRole("img", { name: /Strength around the alert/ }).waitFor();
    await page.getByText("The last", { exact: false }).first().waitFor();
    await hands.press(link(page, "Change the rule"));
    await heading(page, "Demo: below −50 dBm").waitFor();
    await tried(page, /[1-9]\d* firings? on/);
    await hands.write(page.getByLabel("Limit, dBm"), "-90");
    await tried(page, /^1h: 0 firings on 0 of/);
    await hands.press(button(page, "Save"));
    await page.getByRole("list", { name: "Rules" }).getByText("Demo: below −50 dBm").waitFor();

    await hands.press(main(page, "Overview"));
    await hands.press(link(page, "Connect your own"));
    await heading(page, "Connect a source").waitFor();
    await hands.press(settings(page, "Integrations"));
    await hands.press(button(page, "Remove the demo"));
    await page.getByText("No source is connected yet").waitFor();
    await hands.press(main(page, "Signals"));
    await page.getByText("There are no signals yet").waitFor();
    await hands.press(main(page, "Overview"));
    await until("a wall without signals", async () => {
      const count = page.getByRole("listitem").filter({ hasText: "active" }).locator("b");
      return (await count.textContent()) === "0";
    });
    isSound(seen);
  });

  test("a rule for chosen signals is drawn on their history, and tried before it is saved", async () => {
    const { page, hands, ...seen } = await opened(kind);
    await hands.press(main(page, "Alerts"));
    await hands.press(link(page, "Rules"));
    await heading(page, "Rules").waitFor();
    await hands.press(link(page, "New rule"));
    await hands.write(page.getByLabel("Only these signals"), "demo-07");
    await hands.press(
      page.getByRole("list", { name: "Signals found" }).getByRole("button", { name: "demo-07" }),
    );
    await button(page, "Leave out demo-07").waitFor();
    await tried(page, /of 1 signal/);
    const slider = page.getByRole("slider", { name: "Limit" });
    const before = Number(await slider.getAttribute("aria-valuenow"));
    await hands.raise(slider, 2);
    const limit = page.getByLabel("Limit, dBm");
    await until(
      "the limit to be raised",
      async () => Math.abs(Number(await limit.inputValue()) - before - 10) <= 1,
    );
    await hands.write(limit, "-119");
    await tried(page, /^1h: 0 firings on 0 of 1 signal/);
    await until("nothing to be shaded", async () => (await shadedColumns(page)) === 0);
    // A limit above all that the demo sends fires at once.
    await hands.write(limit, "-40");
    await tried(page, /[1-9]\d* firings? on 1 of 1 signal, longest \d+ (s|min)/);
    await until("the firing to be shaded", async () => (await shadedColumns(page)) > 0);
    // The service runs few at a time: a try that is given up is in nobody's way.
    const BACKTEST = "**/v1/alerts/rules/backtest";
    const begun = Promise.withResolvers<void>();
    await page.route(BACKTEST, () => begun.resolve(), { times: 1 });
    const givenUp = page.waitForEvent("requestfailed", (request) => request.url().endsWith("/backtest"));
    await hands.press(page.getByLabel("30d", { exact: true }));
    await begun.promise;
    await hands.press(page.getByLabel("7d", { exact: true }));
    await givenUp;
    await tried(page, /^7d: /);
    await hands.press(page.getByLabel("no webhook"));
    await hands.write(page.getByLabel("E-mail addresses"), "ops@example.org");
    await hands.write(page.getByLabel("Name", { exact: true }), "Weak mast");
    await hands.press(button(page, "Create the rule"));
    await page.getByRole("list", { name: "Rules" }).getByText("Weak mast").waitFor();

    // What is typed and not saved is not left without a question.
    await hands.press(link(page, "Weak mast"));
    await hands.write(page.getByLabel("Name", { exact: true }), "Weaker mast");
    await hands.press(main(page, "Signals"));
    const question = page.getByRole("dialog", { name: "Leave without saving?" });
    await hands.press(question.getByRole("button", { name: "Leave", exact: true }));
    await heading(page, "Signals").waitFor();
    isSound(seen);
  });

  test("a source is connected by choosing values, and its signals are live", async () => {
    const { page, hands, ...seen } = await opened(kind, { DEMO: "false" });
    const feed = await FloodServer.start({
      readingsPerSecond: 10,
      readingsPerFrame: 2,
      frame: (number) =>
        JSON.stringify({
          site: {
            masts: [0, 1].map((mast) => ({
              label: `mast ${mast}`,
              rx: -60 - ((number + mast) % 20),
              heard: new Date().toISOString(),
            })),
          },
        }),
    });
    await hands.press(main(page, "Settings"));
    await hands.press(link(page, "Connect a source"));
    await hands.write(page.getByLabel("Address", { exact: true }), "ws://127.0.0.1:1/");
    await heading(page, "Connect 127.0.0.1:1").waitFor();
    await hands.press(button(page, "Connect"));
    await page.getByText("Not connected").waitFor();
    await page.getByText("nothing listens there (connection refused)").waitFor();
    await hands.write(page.getByLabel("Address", { exact: true }), feed.url);
    await hands.press(button(page, "Wait for a message at first"));
    await hands.write(page.getByLabel("Step 1: wait for", { exact: true }), "$.site.pylons");
    await hands.write(page.getByLabel("Step 1: for at most, seconds"), "1");
    await hands.press(button(page, "Connect again"));
    await page.getByText(/^handshake step 1: no message with \$\.site\.pylons came within 1 s/).waitFor();
    await page.getByText("✕ Step 1: waits for $.site.pylons").waitFor();
    await hands.write(page.getByLabel("Step 1: wait for", { exact: true }), "$.site.masts");
    await hands.press(button(page, "Send something at first"));
    await hands.write(page.getByLabel("Step 2: send", { exact: true }), '{"subscribe":"masts of the north"}');
    await hands.press(button(page, "Connect again"));
    await page.getByText("● Connected").waitFor();
    await page.getByText("● Step 1: waits for $.site.masts").waitFor();
    await page.getByText("● Step 2: sent").waitFor();
    await page.getByText(/messages of another kind/).waitFor();
    const point = async (value: RegExp, part: string) => {
      await hands.press(button(page, value).last());
      await hands.press(page.getByRole("button", { name: part, exact: true }));
    };
    // A name is no strength.
    await point(/^-\d+$/, "Signal");
    await point(/^"mast 1"/, "Strength");
    await page.getByText("▲ what is at $.label is no number").waitFor();
    expect(await page.getByRole("table").count()).toBe(0);
    await point(/^"mast 1"/, "Signal");
    await point(/^-\d+/, "Strength");
    await point(/^"\d{4}-/, "Time");
    await page.getByRole("cell", { name: "mast 0" }).first().waitFor();
    expect(await page.getByText(/ is no number$/).count()).toBe(0);
    expect(await page.getByLabel("For each of").inputValue()).toBe("$.site.masts[*]");
    expect(await page.getByLabel("Time", { exact: true }).inputValue()).toBe("$.heard");
    await hands.write(page.getByLabel("Name", { exact: true }), "Masts");
    await heading(page, "Connect Masts").waitFor();
    await hands.press(page.getByRole("button", { name: "Save", exact: true }));
    await heading(page, "Masts").waitFor();
    await page.getByText("“Masts” is saved, and connects now.").waitFor();
    await page.getByText("● connected").waitFor();
    const own = page.getByRole("list", { name: "Its signals" }).getByRole("listitem");
    for (const name of ["mast 0", "mast 1"]) {
      const strength = own.filter({ hasText: name }).getByText("dBm");
      const before = await strength.textContent();
      await until(`${name} to move`, async () => (await strength.textContent()) !== before);
    }
    await hands.write(page.getByLabel("Name", { exact: true }), "Masts of the north");
    await hands.write(page.getByLabel("Headers", { exact: true }), "Authorization: Bearer s3cret");
    await hands.press(button(page, "Save the settings"));
    await heading(page, "Masts of the north").waitFor();
    await page.getByText("Sent, and sealed: Authorization.").waitFor();
    const { origin, pathname } = new URL(page.url());
    await page.goto(`${origin}/signals?source=${pathname.split("/").at(-1)}`);
    const chip = button(page, "Do not filter by source Masts of the north");
    await chip.waitFor();
    const masts = page.getByRole("link", { name: /^mast/ });
    await until("both masts", async () => (await masts.count()) === 2);
    await hands.press(chip);
    await until("all signals", async () => new URL(page.url()).search === "");
    await hands.press(page.getByRole("link", { name: "mast 1" }));
    await heading(page, "mast 1").waitFor();
    isSound(seen);
  });

  test("a webhook is tried before it is saved, tells, sends again, explains signatures, and changes its secret", async () => {
    const { page, hands, context, ...seen } = await opened(kind, { WEBHOOK_ALLOW_PRIVATE: "true" });
    const receiver = await startReceiver();
    await hands.press(main(page, "Settings"));
    await hands.press(settings(page, "Webhooks"));
    await hands.press(link(page, "New webhook"));
    await hands.write(page.getByLabel("Address", { exact: true }), "not an address");
    await hands.press(button(page, "Create the webhook"));
    await page.getByText("is no URL").first().waitFor();
    await hands.write(page.getByLabel("Address", { exact: true }), receiver.url);
    await hands.press(button(page, "Send a test"));
    await page.getByText("● Delivered").waitFor();
    await hands.press(page.getByText("What was sent"));
    await page.getByText(/x-service-signature: sha256=/i).waitFor();
    expect(receiver.received.length).toBe(1);
    await hands.write(page.getByLabel("Name", { exact: true }), "Pager");
    await hands.press(button(page, "Create the webhook"));
    const secret = await page.getByText(/^whsec_/).textContent();
    // Of what is shown only once nothing is lost without a question, and once it is put away nothing is left of it.
    await hands.press(main(page, "Signals"));
    const question = page.getByRole("dialog", { name: "Leave before it is copied?" });
    await hands.press(question.getByRole("button", { name: "Stay" }));
    expect(await isHeld(page)).toBe(true);
    await page.getByText(secret ?? "").waitFor();
    await hands.press(button(page, "I have it"));
    await page.getByText(secret ?? "").waitFor({ state: "detached" });
    expect(await isHeld(page)).toBe(false);
    await hands.press(link(page, "Go on to the webhook"));
    await heading(page, "Pager").waitFor();
    await page.reload();
    await heading(page, "Pager").waitFor();
    expect(await page.content()).not.toContain(secret);

    const deliveries = page.getByRole("list", { name: "Deliveries" }).getByRole("listitem");
    await deliveries.filter({ hasText: "delivered" }).first().waitFor();
    const arrived = deliveries.filter({ hasText: "delivered" }).filter({ hasText: "1 attempt," }).first();
    const again = await arrived.getByRole("button", { name: /^Send .* again$/ }).getAttribute("aria-label");
    const sentAgain = page.getByRole("button", { name: again ?? "", exact: true });
    await hands.press(sentAgain);
    await page.getByRole("status").getByText("Queued: it is sent again.").waitFor();
    const resent = deliveries.filter({ has: sentAgain }).first();
    await resent.filter({ hasText: "delivered" }).getByText("2 attempts, status 204").waitFor();
    const ids = receiver.ids();
    expect(ids.length).toBeGreaterThan(new Set(ids).size);
    await resent.getByRole("link", { name: /^demo-\d\d$/ }).waitFor();
    await hands.press(resent.getByText("Attempts, and what was sent"));
    const sent = (await resent.getByRole("region", { name: "What was sent" }).textContent()) ?? "";
    const [head = "", body = ""] = sent.split("\n\n");
    const twice = receiver.received.find(
      ({ headers }) =>
        head.endsWith(`\nwebhook-timestamp: ${headers["webhook-timestamp"]}`) &&
        head.includes(`\nwebhook-id: ${headers["webhook-id"]}\n`),
    );
    expect(JSON.parse(body)).toEqual(JSON.parse(twice?.body ?? ""));

    await hands.press(page.getByText("A request does not verify?"));
    const request = receiver.received.at(-1);
    const headers = Object.entries(request?.headers ?? {}).map(([name, value]) => `${name}: ${value}`);
    await hands.write(page.getByLabel("Headers", { exact: true }), headers.join("\n"));
    await hands.write(page.getByLabel("Body", { exact: true }), request?.body ?? "");
    await hands.press(button(page, "Why?"));
    await page.getByText("● It verifies.").waitFor();
    await hands.write(page.getByLabel("Body", { exact: true }), `${request?.body} `);
    await hands.press(button(page, "Why?"));
    await page.getByText("✕ It does not verify.").waitFor();

    await hands.press(button(page, /the old one for a day more/));
    await page.getByText(/The secret before signs, too/).waitFor();
    const next = (await page.getByText(/^whsec_/).textContent()) ?? "";
    expect(next).not.toBe(secret);
    expect(await isHeld(page)).toBe(true);
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await hands.press(button(page, "Copy signing secret"));
    await until("the page to be free", async () => !(await isHeld(page)));
    expect(await page.evaluate<string>("navigator.clipboard.readText()")).toBe(next);
    await hands.press(button(page, "End it now"));
    await hands.press(button(page, "End the old secret"));
    await page.getByText(/The secret before signs, too/).waitFor({ state: "detached" });

    // A form that was changed and a secret are one question.
    await hands.write(page.getByLabel("Name", { exact: true }), "Pager of the north");
    await hands.press(button(page, /the old one ends now/));
    await hands.press(button(page, "Make a new secret"));
    await page.getByText(/^whsec_/).waitFor();
    await until("another secret", async () => (await page.getByText(/^whsec_/).textContent()) !== next);
    await hands.press(main(page, "Signals"));
    await hands.press(question.getByRole("button", { name: "Leave", exact: true }));
    await heading(page, "Signals").waitFor();
    await hands.press(main(page, "Settings"));
    await hands.press(settings(page, "Webhooks"));
    await hands.press(link(page, "Pager"));
    await heading(page, "Pager").waitFor();
    await hands.press(page.getByLabel("not signed"));
    await hands.press(page.getByRole("button", { name: "Save", exact: true }));
    await page.getByText("The webhook is saved.").waitFor();
    await page.getByRole("region", { name: "Signing secret" }).waitFor({ state: "detached" });
    isSound(seen, /status of 400/);
  });
});

test("keys lead everywhere", async () => {
  const { page, hands, url, ...seen } = await opened("keyboard");
  await page.keyboard.press("g");
  await page.keyboard.press("s");
  await heading(page, "Signals").and(page.locator(":focus")).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("demo-07");
  await until("one signal", async () => (await page.getByRole("row").count()) === 2);
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  await heading(page, "demo-07").waitFor();
  await page.getByRole("img", { name: "Status over the time shown" }).waitFor();
  await page.keyboard.press("[");
  await page.getByText(/ – .* · /).waitFor();
  expect(new URL(page.url()).searchParams.has("from")).toBe(true);
  await page.keyboard.press("n");
  await heading(page, "New rule").waitFor();
  await button(page, "Leave out demo-07").waitFor();
  for (const [key, title] of [
    ["a", "Alerts"],
    ["c", "Integrations"],
    ["w", "Webhooks"],
    ["o", "Overview"],
  ] as const) {
    await page.keyboard.press("g");
    await page.keyboard.press(key);
    await heading(page, title).waitFor();
  }
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keys" }).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("demo-03");
  await page.getByRole("option", { name: /demo-03/ }).waitFor();
  await page.keyboard.press("Enter");
  await heading(page, "demo-03").waitFor();
  expect(page.url().startsWith(`${url}/signals/`)).toBe(true);
  isSound(seen);
});

test("keys move within lists and times, and can be turned off", async () => {
  const { page, url, hands, ...seen } = await opened("keyboard");
  await page.goto(`${url}/signals`);
  const rows = page.getByRole("row").getByRole("link");
  await rows.nth(2).waitFor();
  for (const [key, row] of [
    ["j", 0],
    ["j", 1],
    ["j", 2],
    ["k", 1],
  ] as const) {
    await page.keyboard.press(key);
    await until(`row ${row}`, async () => (await rows.nth(row).and(page.locator(":focus")).count()) === 1);
  }
  const name = (await rows.nth(1).textContent()) ?? "";
  await page.keyboard.press("Enter");
  await heading(page, name).waitFor();
  await page.getByRole("img", { name: "Status over the time shown" }).waitFor();
  for (const [key, search] of [
    ["+", /^\?last=1800s$/],
    ["-", /^\?last=1h$/],
    ["[", /^\?from=.*&to=/],
    ["]", /^\?last=1h$/],
  ] as const) {
    await page.keyboard.press(key);
    await until(`${key} to be ${search}`, async () => search.test(new URL(page.url()).search));
  }

  await page.keyboard.press("?");
  await hands.press(
    page.getByRole("dialog", { name: "Keys" }).getByRole("button", { name: "Turn keys off" }),
  );
  await page.getByText("Keys are off.").waitFor();
  for (const key of ["[", "?", "Control+k", "g", "o"]) await page.keyboard.press(key);
  await hands.press(page.locator("header button[aria-haspopup=menu]"));
  const on = page.getByRole("menuitemradio", { name: "Keys lead everywhere" });
  await on.waitFor();
  await heading(page, name).waitFor();
  expect(new URL(page.url()).search).toBe("?last=1h");
  expect(await page.getByRole("dialog").count()).toBe(0);
  await on.press("Enter");
  await page.keyboard.press("Escape");
  await on.waitFor({ state: "hidden" });
  await page.keyboard.press("g");
  await page.keyboard.press("o");
  await heading(page, "Overview").waitFor();
  isSound(seen);
});

test("a sign-out that fails is said, for as long as somebody is at what is said", async () => {
  const { page, hands, context, url, ...seen } = await opened("mouse");
  await page.clock.install();
  await page.goto(`${url}/settings/versions`);
  await context.route("**/sign-out", (route) => route.abort());
  await hands.press(page.locator("header button[aria-haspopup=menu]"));
  await hands.press(page.getByRole("menuitem", { name: "Sign out" }));
  const said = page.getByText("You may still be signed in");
  await said.waitFor();
  expect(new URL(page.url()).pathname).toBe("/settings/versions");
  const dismiss = button(page, "Dismiss");
  for (const [come, go] of [
    [() => said.hover(), () => page.mouse.move(0, 0)],
    [() => dismiss.focus(), () => dismiss.blur()],
  ] as const) {
    await come();
    await page.clock.runFor(30_000);
    expect(await said.count()).toBe(1);
    await go();
  }
  await page.clock.runFor(9_000);
  await said.waitFor({ state: "detached" });
  isSound(seen, /ERR_FAILED/);
});
