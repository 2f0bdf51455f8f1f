import { expect, onTestFinished, test } from "vitest";
import { Email } from "../../schemas/email.ts";
import { COMMAND_LINE_CLIENT } from "../../schemas/oauth-client.ts";
import { systemEntropy } from "../../src/adapters/system/clock.ts";
import { TOKEN_BYTES, tokenOf } from "../../src/domain/access/secret-token.ts";
import type { ControlStore } from "../../src/ports/control-store.ts";
import { KEY_TTL_MS } from "../../src/serve/known-keys.ts";
import { KnownTokens } from "../../src/serve/oauth/known-tokens.ts";
import { startOAuth } from "../../src/serve/oauth/oauth.ts";
import { ManualClock } from "../support/clock.ts";
import { openTestControl } from "../support/engines.ts";
import { testTelemetry } from "../support/telemetry.ts";
import { until } from "../support/until.ts";

const PEER = "192.0.2.1";
const MINUTE_MS = 60_000;
const newToken = () => tokenOf(systemEntropy.bytes(TOKEN_BYTES));

const personOf = async ({ access }: ControlStore, name: string) => {
  const person = await access.people.create(Email.parse(`${name}@example.org`), null);
  if (person === null) throw new Error("there is one already");
  return person;
};

/** An access token of somebody of the first account, and what finds it. */
const known = async () => {
  const clock = new ManualClock();
  const control = await openTestControl(clock);
  const telemetry = testTelemetry();
  const surroundings = { clock, entropy: systemEntropy, telemetry };
  const { tokens } = await startOAuth({ ...surroundings, control, publicUrl: () => "http://127.0.0.1:1" });
  const { oauth, members } = control.access;
  const found = new KnownTokens(tokens, oauth.grants, clock, telemetry.log);
  onTestFinished(() => found.stop().catch(() => undefined));
  const { id: accountId } = await control.accounts.first();
  const person = await personOf(control, "jane");
  await members.add(accountId, person.id, "editor");
  const grantId = await oauth.grants.create({
    clientId: COMMAND_LINE_CLIENT,
    personId: person.id,
    accountId,
    scopes: ["read", "write"],
    expiresAt: clock.now() + 10 * MINUTE_MS,
  });
  const token = newToken();
  const expiresAt = clock.now() + 5 * MINUTE_MS;
  const told = { clientId: COMMAND_LINE_CLIENT, grantId, scope: "read write admin", exp: expiresAt / 1_000 };
  await oauth.records.put(token, {
    kind: "AccessToken",
    content: JSON.stringify(told),
    clientId: COMMAND_LINE_CLIENT,
    grantId,
    userCode: null,
    expiresAt,
  });
  return {
    clock,
    control,
    accountId,
    person,
    grantId,
    token,
    expiresAt,
    find: (text = token) => found.find(text, PEER),
  };
};

test("a token opens what was allowed, within its person's role, and what is known of it is asked again within 5 s", async () => {
  const { clock, control, accountId, person, grantId, token, expiresAt, find } = await known();
  expect(await find()).toEqual({
    id: grantId,
    clientId: COMMAND_LINE_CLIENT,
    name: "signals, the command line, for jane@example.org",
    accountId,
    personId: person.id,
    scopes: ["read", "write"],
    expiresAt,
  });
  const { members, oauth } = control.access;
  const olga = await personOf(control, "olga");
  await members.add(accountId, olga.id, "owner");
  await members.change(accountId, person.id, { role: "viewer" });
  expect((await find())?.scopes).toEqual(["read", "write"]);
  clock.advance(KEY_TTL_MS);
  expect((await find())?.scopes).toEqual(["read"]);
  await oauth.grants.end(grantId);
  clock.advance(KEY_TTL_MS);
  expect(await find()).toBeNull();
  expect(await find(token.slice(1))).toBeNull();
});

test("a token ends at its time, also where it is remembered, and when its grant was last used is kept", async () => {
  const { clock, control, person, expiresAt, find } = await known();
  expect(await find()).not.toBeNull();
  const usedAt = clock.now();
  clock.advance(MINUTE_MS);
  await until("its use to be kept", async () => {
    const { items } = await control.access.oauth.grants.list(person.id, { limit: 1 });
    return items[0]?.lastUsedAt === usedAt;
  });
  clock.advance(expiresAt - clock.now() - 1);
  expect(await find()).not.toBeNull();
  clock.advance(1);
  expect(await find()).toBeNull();
});

test("unknown tokens are looked up a hundred times in ten seconds for each peer, and leave known ones alone", async () => {
  const { clock, find } = await known();
  expect(await find()).not.toBeNull();
  for (let n = 0; n < 100; n++) expect(await find(newToken())).toBeNull();
  await expect(find(newToken())).rejects.toThrow("rate_limited");
  clock.advance(KEY_TTL_MS);
  expect(await find()).not.toBeNull();
});

test("what has not the form of a token is refused without a look-up", async () => {
  const { control, find } = await known();
  await control.close();
  for (const text of [
    "",
    "x",
    "a.b",
    "a.b.c.d",
    "A".repeat(42),
    `${"A".repeat(42)}=`,
    `${"A".repeat(5_000)}.b.c`,
  ])
    expect(await find(text)).toBeNull();
  expect(await find("a.b.c")).toBeNull();
  await expect(find(newToken())).rejects.toThrow();
});
