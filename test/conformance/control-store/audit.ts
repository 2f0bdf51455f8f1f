import { describe, expect, it } from "vitest";
import { Email } from "../../../schemas/email.ts";
import { apiKeyHash } from "../../../src/domain/api-key.ts";
import type { Doer, KeptNote } from "../../../src/ports/audit.ts";
import type { ControlStore } from "../../../src/ports/control-store.ts";
import { ManualClock } from "../../support/clock.ts";
import type { NewDatabase } from "../control-store.ts";
import { toldOf } from "./alerts.ts";
import { aRule, aSignal, aSource, aWebhook, MINE, OTHERS, succeeded } from "./examples.ts";

const DAY_MS = 86_400_000;
const BY: Doer = {
  actor: { kind: "key", id: "key_1", name: "the night shift" },
  origin: { address: "192.0.2.1", userAgent: "curl/8", requestId: "req_1" },
};

const SILENCE = {
  select: {},
  ruleIds: null,
  from: "2026-01-01T00:00:00.000Z",
  until: "2026-01-01T01:00:00.000Z",
  untilResolved: false,
  schedule: null,
  reason: "works",
};

const logOf = async ({ audit }: ControlStore, accountId = MINE): Promise<KeptNote[]> =>
  (await audit.list({ accountId }, { limit: 500 })).items.toReversed();
const actionsOf = async (store: ControlStore) => (await logOf(store)).map(({ action }) => action);

export const auditSuite = (newDatabase: NewDatabase): void => {
  describe("the audit log", () => {
    it("says what was changed, by whom, from where and when, in the account's log alone", async () => {
      const clock = new ManualClock();
      const store = await (await newDatabase()).open({ clock });
      const { rules } = store.by(BY);
      const { id } = succeeded(await rules.create(MINE, aRule({ name: "weak" }))).rule;
      clock.advance(1_000);
      succeeded(await rules.update(MINE, id, { name: "weaker", forSeconds: 30 }));
      clock.advance(1_000);
      succeeded(await rules.remove(MINE, id));
      const [created, updated, deleted, ...more] = await logOf(store);
      expect(more).toEqual([]);
      expect(created).toMatchObject({
        ...BY,
        accountId: MINE,
        personId: null,
        at: clock.now() - 2_000,
        action: "rule.created",
        target: { id, name: "weak" },
        before: null,
        after: { name: "weak", condition: { operator: "below", value: -90 } },
      });
      expect(updated).toMatchObject({
        action: "rule.updated",
        at: clock.now() - 1_000,
        target: { id, name: "weaker" },
      });
      expect(updated?.before).toEqual({ name: "weak", forSeconds: 0 });
      expect(updated?.after).toEqual({ name: "weaker", forSeconds: 30 });
      expect(deleted).toMatchObject({ action: "rule.deleted", before: { name: "weaker" }, after: null });
      expect(await logOf(store, OTHERS)).toEqual([]);
    });

    it("has every kind of change", async () => {
      const store = await (await newDatabase()).open();
      const { signals, sources, silences, webhooks, apiKeys, alerts, accounts } = store.by(BY);
      const signal = succeeded(await signals.create(MINE, aSignal({ externalId: "a" }))).definition.id;
      succeeded(await signals.update(MINE, signal, { threshold: 0.5 }));
      succeeded(await signals.remove(MINE, signal));
      const source = succeeded(await sources.create(MINE, aSource())).id;
      succeeded(await sources.update(MINE, source, { name: "another" }));
      succeeded(await sources.remove(MINE, source));
      const silence = succeeded(await silences.create(MINE, SILENCE, "key_1"));
      const silenceId = silence.definition.id;
      succeeded(await silences.update(MINE, silenceId, { reason: "works on" }));
      succeeded(await silences.remove(MINE, silenceId));
      const webhook = succeeded(await webhooks.create(MINE, aWebhook())).id;
      succeeded(await webhooks.update(MINE, webhook, { enabled: false }));
      succeeded(await webhooks.rotate(MINE, webhook, 3_600_000));
      succeeded(await webhooks.remove(MINE, webhook));
      const details = { name: "k", prefix: "sos_abc", scopes: ["read"] as const };
      const key = await apiKeys.create(MINE, { ...details, hash: apiKeyHash("sos_abcdef") });
      await apiKeys.revoke(MINE, key.id);
      const told = toldOf(1);
      await alerts.project([{ ...told, accountId: MINE }]);
      succeeded(await alerts.acknowledge(MINE, told.alert.id, { by: "key_1", note: "on my way" }));
      const { id } = await accounts.first();
      succeeded(await accounts.update(id, { name: "Rescue", isSecondFactorRequired: true }));
      expect(new Set(await actionsOf(store))).toEqual(
        new Set([
          ...["signal", "source", "silence", "webhook"].flatMap((thing) =>
            ["created", "updated", "deleted"].map((deed) => `${thing}.${deed}`),
          ),
          "webhook.secret_rotated",
          "api_key.created",
          "api_key.revoked",
          "alert.acknowledged",
        ]),
      );
      const [account] = await logOf(store, id);
      expect(account).toMatchObject({
        action: "account.updated",
        before: { name: null, secondFactorRequired: false },
        after: { name: "Rescue", secondFactorRequired: true },
      });
    });

    it("has each change of a batch, and none of what the batch did not do", async () => {
      const store = await (await newDatabase()).open();
      const { signals } = store.by(BY);
      const kept = succeeded(await store.signals.create(MINE, aSignal({ externalId: "kept" }))).definition.id;
      const create = (externalId: string) => ({ kind: "create", input: aSignal({ externalId }) }) as const;
      const many = Array.from({ length: 1_100 }, (_, n) => create(`of-many-${n}`));
      await signals.applyAll(MINE, [...many, { kind: "update", id: kept, patch: { threshold: 0.9 } }], {
        atomic: false,
      });
      const { items } = await store.audit.list({ accountId: MINE }, { limit: 500, action: "signal.updated" });
      expect(items.map(({ target, before, after }) => [target?.id, before, after])).toEqual([
        [kept, { threshold: 0.4 }, { threshold: 0.9 }],
      ]);
      expect((await countOf(store)).created).toBe(1_100);
      await signals.applyAll(MINE, [create("new"), create("kept")], { atomic: true });
      await signals.applyAll(MINE, [create("new")], { atomic: false, checkOnly: true });
      expect((await countOf(store)).created).toBe(1_100);
    });

    it("has nothing of what was refused, changed nothing, or was undone, or was done by nobody", async () => {
      const store = await (await newDatabase()).open();
      const { rules, transaction } = store.by(BY);
      const { id, name } = succeeded(await store.rules.create(MINE, aRule())).rule;
      await rules.update(MINE, id, { name });
      await rules.update(MINE, id, { name: "other" }, [99]);
      await rules.remove(OTHERS, id);
      const undone = transaction(async (within) => {
        succeeded(await within.rules.update(MINE, id, { name: "other" }));
        throw new Error("undone");
      });
      await expect(undone).rejects.toThrow("undone");
      expect(await logOf(store)).toEqual([]);
      await transaction(async (within) => {
        succeeded(await within.rules.update(MINE, id, { name: "other" }));
      });
      expect(await actionsOf(store)).toEqual(["rule.updated"]);
    });

    it("holds no secret, and says that one was changed", async () => {
      const database = await newDatabase();
      const store = await database.open();
      const { sources, webhooks } = store.by(BY);
      const secrets = ["q-7f3a9c", "h-7f3a9c", "s-7f3a9c", "h-other-1", "q-other-1"];
      const [query = "", header = "", send = "", otherHeader = "", otherQuery = ""] = secrets;
      const source = aSource({
        url: `wss://feed.example/x?token=${query}`,
        headers: { authorization: header },
        handshake: [{ send }],
      });
      const { id } = succeeded(await sources.create(MINE, source));
      succeeded(await sources.update(MINE, id, { headers: { authorization: otherHeader } }));
      succeeded(await sources.update(MINE, id, { url: `wss://feed.example/x?token=${otherQuery}` }));
      succeeded(await sources.remove(MINE, id));
      const { secret } = succeeded(await webhooks.create(MINE, aWebhook())).secrets;
      const log = await logOf(store);
      const changes = log.filter(({ action }) => action === "source.updated").map(({ after }) => after);
      expect(changes).toEqual([
        { headers: { authorization: "***" } },
        { url: "wss://feed.example/x?token=***" },
      ]);
      for (const one of [...secrets, secret]) expect(JSON.stringify(log)).not.toContain(one);
      const bytes = await database.bytes();
      for (const one of [...secrets, secret]) expect(bytes.includes(one)).toBe(false);
    });

    it("takes names that an engine cannot keep as they are", async () => {
      const store = await (await newDatabase()).open();
      const actor = { kind: "key", id: "key_1", name: `\0 \ud800 ${"n".repeat(500)}` } as const;
      const { audit } = store.by({ ...BY, actor });
      const target = { id: "x", name: "\0\udfff" };
      await audit.add([{ action: "rule.created", accountId: MINE, target, after: { name: "\0\ud800" } }]);
      const [kept] = await logOf(store);
      expect(kept?.actor.name.isWellFormed()).toBe(true);
      expect(kept?.actor.name.length).toBeLessThanOrEqual(301);
      expect(kept?.target?.name).not.toContain("\0");
    });

    it("is read by time, action, actor and target, in pages, and by a person what was about them", async () => {
      const clock = new ManualClock();
      const store = await (await newDatabase()).open({ clock });
      const jane = await store.access.people.create(Email.parse("jane@example.org"), null);
      const personId = jane?.id ?? null;
      const add = async (n: number, by: string) => {
        const { audit } = store.by({ ...BY, actor: { ...BY.actor, id: by } });
        const target = { id: `rul_${n % 2}`, name: `r${n}` };
        await audit.add([{ action: n < 3 ? "rule.created" : "rule.updated", accountId: MINE, target }]);
        clock.advance(DAY_MS);
      };
      const startMs = clock.now();
      for (let n = 0; n < 6; n++) await add(n, n === 5 ? "key_2" : "key_1");
      await store.by(BY).audit.add([
        { action: "password.changed", accountId: null, personId },
        { action: "member.updated", accountId: MINE, personId },
      ]);
      const names = async (query: Partial<Parameters<typeof store.audit.list>[1]>) =>
        (await store.audit.list({ accountId: MINE }, { limit: 50, ...query })).items.map(
          ({ target, action }) => target?.name ?? action,
        );
      const day = (n: number) => new Date(startMs + n * DAY_MS).toISOString();
      expect(await names({})).toEqual(["member.updated", "r5", "r4", "r3", "r2", "r1", "r0"]);
      expect(await names({ from: day(1), to: day(3) })).toEqual(["r2", "r1"]);
      expect(await names({ action: "rule.created" })).toEqual(["r2", "r1", "r0"]);
      expect(await names({ action: "member" })).toEqual(["member.updated"]);
      expect(await names({ actor: "key_2" })).toEqual(["r5"]);
      expect(await names({ target: "rul_1", action: "rule" })).toEqual(["r5", "r3", "r1"]);
      const first = await store.audit.list({ accountId: MINE }, { limit: 4 });
      const cursor = first.next ?? "";
      const rest = await store.audit.list({ accountId: MINE }, { limit: 4, cursor });
      expect([...first.items, ...rest.items].map(({ target }) => target?.name)).toEqual([
        undefined,
        ...["r5", "r4", "r3", "r2", "r1", "r0"],
      ]);
      expect(rest.next).toBeNull();
      if (personId === null) throw new Error("nobody was made");
      const own = await store.audit.list({ personId }, { limit: 50 });
      expect(own.items.map(({ action }) => action).toSorted()).toEqual([
        "member.updated",
        "password.changed",
      ]);
      expect(own.items.map(({ actor }) => actor)).toEqual([BY.actor, BY.actor]);
    });

    it("forgets what is old, and sooner what is in nobody's log", async () => {
      const clock = new ManualClock();
      const store = await (await newDatabase()).open({ clock });
      const { audit } = store.by(BY);
      await audit.add([{ action: "sign_in.failed", accountId: null }]);
      await audit.add([{ action: "rule.created", accountId: MINE, target: { id: "a", name: "old" } }]);
      clock.advance(DAY_MS);
      await audit.add([{ action: "rule.created", accountId: MINE, target: { id: "b", name: "new" } }]);
      expect(await audit.prune(clock.now() - 2 * DAY_MS, 100)).toBe(1);
      expect(await audit.prune(clock.now() - 2 * DAY_MS, 100)).toBe(0);
      expect(await audit.prune(clock.now() - DAY_MS / 2, 100)).toBe(1);
      expect((await logOf(store)).map(({ target }) => target?.name)).toEqual(["new"]);
    });
  });
};

const countOf = async ({ audit }: ControlStore) => {
  let created = 0;
  let cursor: string | undefined;
  do {
    const page = await audit.list({ accountId: MINE }, { limit: 500, action: "signal.created", cursor });
    created += page.items.length;
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  return { created };
};
