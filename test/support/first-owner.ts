import type { Page } from "playwright-core";

export const OWNER = { email: "olga@example.org", password: "seven lonely masts above" };

/** Signs in as the first owner, by the link that a service without people has printed, and waits for the overview. */
export const signInAsFirstOwner = async (page: Page, url: string, printed: string): Promise<void> => {
  const [path] = /\/first-owner\/\S+/.exec(printed) ?? [];
  if (path === undefined) throw new Error("the service has printed no link for a first owner");
  await page.goto(url + path);
  await page.getByLabel("E-mail address").fill(OWNER.email);
  await page.getByLabel("Password").fill(OWNER.password);
  await page.getByRole("button", { name: "Go on" }).click();
  await page.getByRole("heading", { name: "Overview" }).waitFor();
};
