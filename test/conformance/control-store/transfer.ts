import { describe, expect, it } from "vitest";
import { deliveryIdOf } from "../../../src/domain/webhooks/delivery-id.ts";
import { newGroup } from "../../../src/domain/webhooks/group.ts";
import type { CarriedRow, ControlStore } from "../../../src/ports/control-store.ts";
import type { NewDatabase } from "../control-store.ts";
import { aBox, aFollowed } from "./alert-mails.ts";
import { toldOf } from "./alerts.ts";
import {
  aDelivery,
  anAttempt,
  aRule,
  aSignal,
  aSource,
  aWebhook,
  fixedUlid,
  MINE,
  succeeded,
} from "./examples.ts";

const KEY = new Uint8Array(32).fill(5);
const HASH = Uint8Array.from({ length: 32 }, (_, i) => 255 - i);

const fill = async (store: ControlStore): Promise<void> => {
  await store.accounts.first();
  await store.apiKeys.create(MINE, {
    name: "first",
    prefix: "sos_abc",
    hash: HASH,
    scopes: ["read", "admin"],
  });
  const source = succeeded(
    await store.sources.create(MINE, aSource({ headers: { Authorization: "s3cret" } })),
  );
  const status = {
    state: "connected",
    stateReason: null,
    lastMessageAt: 5,
    counters: { messages: 1, readings: 2, skipped: 3, rejected: 4, reconnects: 5 },
  } as const;
  const { generation = 0 } = (await store.sources.claim(source.id)) ?? {};
  await store.sources.saveStatus(source.id, status, generation);
  const program = { grants: ["client_credentials" as const], scopes: ["read" as const], redirectUris: [] };
  const clientSettings = { ...program, name: "c", accessTokens: "opaque", confidential: true } as const;
  succeeded(await store.access.oauth.clients.create(MINE, clientSettings, "secret of the client", null));
  const { rule } = succeeded(await store.rules.create(MINE, aRule({ select: { sourceId: source.id } })));
  succeeded(await store.rules.update(MINE, rule.id, { name: "as it is now" }));
  const silence = {
    select: {},
    ruleIds: null,
    until: null,
    untilResolved: true,
    schedule: null,
    reason: "r",
  };
  await store.silences.create(MINE, { ...silence, from: "2026-01-01T00:00:00.000Z" }, "key_1");
  await store.alerts.project([toldOf(1), toldOf(2)]);
  for (let n = 0; n < 7; n++)
    await store.signals.create(
      MINE,
      aSignal({ name: `Größe 'n' ${n}`, externalId: `x-${n}`, labels: { a: `${n}`, b: "\\" } }),
    );
  const [first] = await store.signals.all(null, 1);
  if (first === undefined) throw new Error("no signal");
  await store.signalStates.project([
    { signalId: first.definition.id, sequence: 9, status: "failed", reasons: [] },
  ]);
  const webhook = succeeded(await store.webhooks.create(MINE, aWebhook()));
  const [sent] = await store.deliveries.add([aDelivery(webhook.id, 0), aDelivery(webhook.id, 1)]);
  const group = newGroup(
    { webhookId: webhook.id, accountId: MINE, sourceId: source.id },
    aDelivery(webhook.id, 2).event.id,
    { waitSeconds: 10, intervalSeconds: 300, minSignals: 2 },
    1_000,
  );
  const held = aDelivery(webhook.id, 2);
  await store.deliveries.add([{ ...held, status: "held" }]);
  const member = { signalId: first.definition.id, name: "a", externalId: null, open: ["signal"] };
  const seen = { news: "failed", severity: null, eventId: held.event.id, since: 5, sequence: 9 } as const;
  const deliveryId = deliveryIdOf(webhook.id, held.event.id);
  await store.webhookGroups.save([
    { group, members: [{ ...member, ...seen }], held: [{ deliveryId, isTold: true }] },
  ]);
  const [lane] = await store.lanes.take("a", 1, 1_000);
  if (lane === undefined || sent === undefined) throw new Error("no lane");
  await store.lanes.save([{ ...lane, attempts: [anAttempt(sent)], disable: null }]);
  const gone = succeeded(await store.webhooks.create(MINE, aWebhook()));
  const [goneLane] = (await store.lanes.take("a", 2, 1_000)).filter(({ webhookId }) => webhookId === gone.id);
  if (goneLane !== undefined) await store.lanes.save([{ ...goneLane, attempts: [], disable: "Gone." }]);
  await store.alertMails.save([{ box: aBox(), alerts: [aFollowed(1), aFollowed(2)] }]);
  await store.alertMails.stop(aBox(), "all");
  await store.alertMails.spend(new Map([["address jane", 5]]));
  const [, last] = await store.signals.all(null, 2);
  if (last !== undefined) succeeded(await store.signals.remove(MINE, last.definition.id));
};

const allRows = async ({ transfer }: ControlStore, table: string, limit: number): Promise<CarriedRow[]> => {
  const rows: CarriedRow[] = [];
  for (let last: CarriedRow | null = null; ; last = rows.at(-1) ?? null) {
    const page: CarriedRow[] = await transfer.rows(table, last, limit);
    rows.push(...page);
    if (page.length < limit) return rows;
  }
};

export const transferSuite = (newDatabase: NewDatabase): void => {
  const opened = async () => (await newDatabase()).open({ secretKey: KEY });

  describe("transfer", () => {
    it("carries every table to another database, where all is found as it was", async () => {
      const [from, to] = [await opened(), await opened()];
      await fill(from);
      for (const table of from.transfer.tables) {
        const rows = await allRows(from, table, 3);
        expect(rows).toHaveLength(await from.transfer.count(table));
        const carried = table === "fact" ? rows.filter(({ name }) => name === "first_account") : rows;
        await to.transfer.add(table, carried);
        await to.transfer.add(table, carried);
        if (table !== "fact") expect(await allRows(to, table, 100)).toEqual(rows);
      }
      expect(await to.accounts.first()).toEqual({ ...(await from.accounts.first()), created: false });
      expect(await to.signals.all(null, 100)).toEqual(await from.signals.all(null, 100));
      expect(await to.sources.list(MINE, { limit: 5 })).toEqual(await from.sources.list(MINE, { limit: 5 }));
      expect(await to.rules.all()).toEqual(await from.rules.all());
      expect(await to.silences.all()).toEqual(await from.silences.all());
      expect(await to.apiKeys.findByHash(HASH)).toEqual(await from.apiKeys.findByHash(HASH));
      const list = { limit: 50, sort: "name", q: "größe", labels: { b: "\\" } } as const;
      expect((await to.signals.list(MINE, list)).items).toHaveLength(6);
    });

    it("leaves a row that is there as it is, and goes on after it", async () => {
      const store = await opened();
      const row = (name: string, value: string) => ({ name, value });
      await store.transfer.add("fact", [row("a", "1")]);
      await store.transfer.add("fact", [row("a", "2"), row("b", "3")]);
      expect([await store.facts.get("a"), await store.facts.get("b")]).toEqual(["1", "3"]);
    });

    it("takes nothing at all of rows among which one is none, and no other table", async () => {
      const store = await opened();
      const rows = [{ name: "a", value: "1" }, { name: "b" }];
      await expect(store.transfer.add("fact", rows)).rejects.toThrow(RangeError);
      expect(await store.facts.get("a")).toBeNull();
      await expect(store.transfer.add("outbox", [])).rejects.toThrow(RangeError);
      const orphan = { source_id: `src_${fixedUlid(8)}`, number: 1, rejection: "{}" };
      await expect(store.transfer.add("source_rejection", [orphan])).rejects.toThrow();
    });
  });
};
