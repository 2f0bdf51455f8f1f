import { expect, test } from "vitest";
import { ApiKeyCreated } from "../../schemas/api-key.ts";
import { SessionsAnswer } from "../../schemas/me.ts";
import { Browser } from "../support/people.ts";
import { postgresUrl } from "../support/postgres.ts";
import { signedInAt, somebodyOf } from "../support/signed-in.ts";
import { twoServes } from "../support/two-serves.ts";

const two = twoServes(await postgresUrl());
const WAIT_MS = 60_000;

test.each([
  ["suspended", "PATCH", { suspended: true }],
  ["removed", "DELETE", undefined],
] as const)(
  "of somebody who is %s no session and no key lets anybody in, at either process, within five seconds",
  async (_, method, body) => {
    const urls = two.both.map(({ url }) => url);
    const [first = "", second = ""] = urls;
    const owner = await signedInAt(first, await somebodyOf(two.engines));
    const editor = await somebodyOf(two.engines, "editor");
    const browsers = [await signedInAt(first, editor), await signedInAt(second, editor)];
    const [one] = browsers;
    const made = await one?.call("POST", "/v1/api-keys", { name: "k", scopes: ["read"] });
    const { key } = ApiKeyCreated.parse(made?.body);
    const { sessions } = SessionsAnswer.parse((await one?.call("GET", "/v1/me/sessions"))?.body);
    expect(sessions).toHaveLength(2);
    const everywhere = async () => {
      const statuses = urls.flatMap((url) => [
        ...browsers.map(async (browser) => {
          const there = new Browser(url);
          there.plant("session", browser.cookies.get("session") ?? "");
          return (await there.call("GET", "/v1/signals?limit=1")).status;
        }),
        fetch(`${url}/v1/signals?limit=1`, { headers: { authorization: `Bearer ${key}` } }).then(
          ({ status }) => status,
        ),
      ]);
      return [...new Set(await Promise.all(statuses))];
    };
    expect(await everywhere()).toEqual([200]);
    const from = performance.now();
    expect((await owner.call(method, `/v1/members/${editor.person.id}`, body)).status).toBeLessThan(300);
    let statuses = [200];
    while (statuses.includes(200) && performance.now() - from < 5_000) statuses = await everywhere();
    expect(statuses).toEqual([401]);
  },
  WAIT_MS,
);
