import { expect, test } from "vitest";
import { openChromium } from "../support/chromium.ts";
import { temporaryDirectory } from "../support/directory.ts";
import { newestMail } from "../support/people.ts";
import { startService } from "../support/service.ts";
import { until } from "../support/until.ts";

const PASSWORD = "seven lonely masts above";
const NEXT_PASSWORD = "rain on a copper antenna";
const EMAIL = "olga@example.org";

test("a browser sends every form of the way in, and is let in", async () => {
  const { service } = await startService({ dataDirectory: await temporaryDirectory() });
  const url = await service.ready();
  const { context, complaints } = await openChromium();
  const page = await context.newPage();
  const whoIsIn = () => page.evaluate(async () => (await fetch("/v1/me")).status);
  const button = (name: string) => page.getByRole("button", { name }).click();

  await page.goto(/http\S+\/first-owner\/\S+/.exec(service.stdout)?.[0] ?? "");
  await page.getByLabel("E-mail address").fill(EMAIL);
  await page.getByLabel("Password").fill(PASSWORD);
  await button("Go on");
  await page.waitForURL(`${url}/`);
  expect(await whoIsIn()).toBe(200);

  await context.clearCookies();
  await page.goto(`${url}/sign-in`);
  await page.getByLabel("E-mail address").fill(EMAIL);
  await page.getByLabel("Password").fill("something else altogether");
  await button("Sign in");
  await page.getByRole("alert").waitFor();
  await page.getByLabel("Password").fill(PASSWORD);
  await button("Sign in");
  await page.waitForURL(`${url}/`);
  expect(await whoIsIn()).toBe(200);

  await context.clearCookies();
  await page.goto(`${url}/forgot-password`);
  await page.getByLabel("E-mail address").fill(EMAIL);
  await button("Send a link");
  await page.getByText("Look into your mailbox").waitFor();
  const mail = await until("the e-mail", () => newestMail(url, EMAIL));
  await page.goto(url + mail.path);
  await page.getByLabel("New password").fill(NEXT_PASSWORD);
  await button("Set password");
  await page.waitForURL(`${url}/sign-in`);

  await page.goto(`${url}/request-access`);
  await page.getByLabel("E-mail address").fill("jane@example.org");
  await page.getByLabel("What do you want to use it for?").fill("We watch forty masts of a rescue service.");
  await button("Ask for access");
  await page.getByText("answer by e-mail within 24 hours").waitFor();
  // The console tells of the wrong password's 401, and that the greeting at / has no icon.
  expect(complaints.filter((complaint) => !/status of 40[14]/.test(complaint))).toEqual([]);
});
