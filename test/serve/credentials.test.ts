import { expect, onTestFinished, test } from "vitest";
import { systemEntropy } from "../../src/adapters/system/clock.ts";
import { apiKeyHash, generateApiKey } from "../../src/domain/api-key.ts";
import type { ControlStore } from "../../src/ports/control-store.ts";
import { KEY_TTL_MS, KnownKeys } from "../../src/serve/known-keys.ts";
import { StreamTickets } from "../../src/serve/stream/stream-tickets.ts";
import { ManualClock } from "../support/clock.ts";
import { openTestControl } from "../support/engines.ts";
import { testTelemetry } from "../support/telemetry.ts";
import { until } from "../support/until.ts";

const known = (control: ControlStore, clock: ManualClock) => {
  const keys = new KnownKeys(control.apiKeys, clock, testTelemetry().log);
  onTestFinished(() => keys.stop().catch(() => undefined));
  return { keys, find: (text: string) => keys.find(text, "192.0.2.1") };
};

test("what is known of a key is asked again within the 5 s in which it must stop working", async () => {
  const control = await openTestControl();
  const clock = new ManualClock();
  const { find } = known(control, clock);
  const key = generateApiKey(systemEntropy.bytes(32));
  expect(await find(key)).toBeNull();
  const { id } = await control.accounts.first();
  const made = { name: "late", prefix: "sos_", hash: apiKeyHash(key), scopes: ["read"] as const };
  await control.apiKeys.create(id, made);
  expect(await find(key)).toBeNull();
  clock.advance(KEY_TTL_MS);
  expect(await find(key)).toMatchObject({ accountId: id, scopes: ["read"] });
  expect(KEY_TTL_MS).toBeLessThan(5_000);
});

test("a key with a wrong checksum is refused without a look-up", async () => {
  const control = await openTestControl();
  await control.close();
  const { find } = known(control, new ManualClock());
  expect(await find(`sos_${"0".repeat(38)}`)).toBeNull();
  await expect(find(generateApiKey(systemEntropy.bytes(32)))).rejects.toThrow();
});

test("a ticket is good once, for 30 s, and not without its key", async () => {
  const clock = new ManualClock();
  const control = await openTestControl(clock);
  const tickets = new StreamTickets(control.tickets, clock, systemEntropy);
  const { id } = await control.accounts.first();
  const made = { name: "browser", prefix: "sos_", hash: new Uint8Array(32), scopes: ["read"] as const };
  const key = await control.apiKeys.create(id, made);
  const holder = { id: key.id, endsAt: null };
  const [first, second] = [await tickets.issue(holder), await tickets.issue(holder)];
  expect(await tickets.redeem(first.ticket, "192.0.2.1")).toEqual(holder);
  expect(await tickets.redeem(first.ticket, "192.0.2.1")).toBeNull();
  expect(second.expiresAtMs).toBe(clock.now() + 30_000);
  clock.advance(30_000);
  expect(await tickets.redeem(second.ticket, "192.0.2.1")).toBeNull();
  const ending = { id: key.id, endsAt: clock.now() + 10_000 };
  const [third, fourth] = [await tickets.issue(ending), await tickets.issue(ending)];
  expect(await tickets.redeem(third.ticket, "192.0.2.1")).toEqual(ending);
  clock.advance(10_000);
  expect(await tickets.redeem(fourth.ticket, "192.0.2.1")).toBeNull();
  expect(await tickets.redeem("tkt_guessed", "192.0.2.1")).toBeNull();
  const keys = known(control, clock).keys;
  expect(await keys.byId(key.id)).toMatchObject({ accountId: id, scopes: ["read"] });
  await control.apiKeys.revoke(id, key.id);
  expect(await keys.byId(key.id)).toBeNull();
});

test("a key that expires works until then, and when it was last used is kept", async () => {
  const clock = new ManualClock();
  const control = await openTestControl(clock);
  const keys = known(control, clock);
  const { id } = await control.accounts.first();
  const key = generateApiKey(systemEntropy.bytes(32));
  const expiresAt = clock.now() + 90_000;
  const made = { name: "short", prefix: "sos_", hash: apiKeyHash(key), scopes: ["read"] as const, expiresAt };
  const stored = await control.apiKeys.create(id, made);
  expect(await keys.find(key)).toMatchObject({ id: stored.id });
  expect(await keys.keys.byId(stored.id)).not.toBeNull();
  const usedAt = clock.now();
  clock.advance(60_000);
  await until("its use to be kept", async () => {
    const record = await control.apiKeys.get(id, stored.id);
    return record?.lastUsedAt === usedAt;
  });
  clock.advance(30_000);
  expect(await keys.find(key)).toBeNull();
  expect(await keys.keys.byId(stored.id)).toBeNull();
});

test("unknown keys are looked up a hundred times in ten seconds for each peer, and leave known ones alone", async () => {
  const control = await openTestControl();
  const clock = new ManualClock();
  let lookUps = 0;
  const apiKeys = {
    find: control.apiKeys.find,
    used: control.apiKeys.used,
    findByHash: (hash: Uint8Array) => {
      lookUps++;
      return control.apiKeys.findByHash(hash);
    },
  };
  const keys = new KnownKeys(apiKeys, clock, testTelemetry().log);
  onTestFinished(() => keys.stop().catch(() => undefined));
  const good = generateApiKey(systemEntropy.bytes(32));
  const { id } = await control.accounts.first();
  await control.apiKeys.create(id, {
    name: "good",
    prefix: "sos_",
    hash: apiKeyHash(good),
    scopes: ["read"],
  });
  const guess = (peer: string) => keys.find(generateApiKey(systemEntropy.bytes(32)), peer);
  expect(await keys.find(good, "192.0.2.1")).not.toBeNull();
  for (let i = 0; i < 100; i++) expect(await guess("192.0.2.1")).toBeNull();
  await expect(guess("192.0.2.1")).rejects.toMatchObject({ code: "rate_limited" });
  expect(lookUps).toBe(101);
  for (let peer = 0; peer < 11; peer++) for (let i = 0; i < 100; i++) await guess(`198.51.100.${peer}`);
  const before = lookUps;
  expect(await keys.find(good, "192.0.2.1")).not.toBeNull();
  expect(lookUps).toBe(before);
  clock.advance(KEY_TTL_MS);
  expect(await keys.find(good, "192.0.2.1")).not.toBeNull();
});
