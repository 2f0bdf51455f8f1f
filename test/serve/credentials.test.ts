import { expect, test } from "vitest";
import { ApiKeyId } from "../../schemas/common.ts";
import { systemEntropy } from "../../src/adapters/system/clock.ts";
import { apiKeyHash, generateApiKey } from "../../src/domain/api-key.ts";
import { KEY_TTL_MS, knownKeys } from "../../src/serve/known-keys.ts";
import { StreamTickets } from "../../src/serve/stream/stream-tickets.ts";
import { ManualClock } from "../support/clock.ts";
import { openTestControl } from "../support/engines.ts";
import { accountId } from "../support/rows.ts";

test("what is known of a key is asked again within the 5 s in which it must stop working", async () => {
  const control = await openTestControl();
  const clock = new ManualClock();
  const find = knownKeys(control.apiKeys, clock);
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
  const find = knownKeys(control.apiKeys, new ManualClock());
  expect(await find(`sos_${"0".repeat(38)}`)).toBeNull();
  await expect(find(generateApiKey(systemEntropy.bytes(32)))).rejects.toThrow();
});

test("a ticket is good once, and for 30 s", () => {
  const clock = new ManualClock();
  const tickets = new StreamTickets(clock, systemEntropy);
  const key = {
    id: ApiKeyId.parse("key_01JDA2V3Q8R5T7W9Y1B3D5F7H9"),
    accountId: accountId(1),
    scopes: ["read"] as const,
  };
  const [first, second] = [tickets.issue(key), tickets.issue(key)];
  expect(tickets.redeem(first.ticket)).toBe(key);
  expect(tickets.redeem(first.ticket)).toBeNull();
  expect(second.expiresAtMs).toBe(clock.now() + 30_000);
  clock.advance(30_000);
  expect(tickets.redeem(second.ticket)).toBeNull();
  expect(tickets.redeem("tkt_guessed")).toBeNull();
});
