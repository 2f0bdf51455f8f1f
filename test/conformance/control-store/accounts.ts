import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { AccountId } from "../../../schemas/common.ts";
import type { NewDatabase } from "../control-store.ts";
import { MINE, OTHERS } from "./examples.ts";

const hashOf = (key: string): Uint8Array => createHash("sha256").update(key).digest();

export const accountsSuite = (newDatabase: NewDatabase): void => {
  const opened = async () => (await newDatabase()).open();

  describe("accounts, keys and facts", () => {
    it("makes the first account once, also when several start at once, and keeps it over a restart", async () => {
      const database = await newDatabase();
      const [one, two] = await database.openTwo();
      const answers = await Promise.all([one, two, one].map(({ accounts }) => accounts.first()));
      const id = AccountId.parse(answers[0]?.id);
      expect(answers.filter(({ created }) => created)).toHaveLength(1);
      expect(answers.map((answer) => answer.id)).toEqual([id, id, id]);
      await Promise.all([one.close(), two.close()]);
      expect(await (await database.open()).accounts.first()).toEqual({ id, created: false });
    });

    it("finds a key by its hash alone, with its scopes", async () => {
      const { apiKeys } = await opened();
      const named = { name: "laptop", prefix: "sos_abcd" };
      const key = await apiKeys.create(MINE, { ...named, hash: hashOf("a"), scopes: ["read", "write"] });
      expect(key).toMatchObject({ accountId: MINE, scopes: ["read", "write"] });
      const { id, accountId, personId, name, scopes, expiresAt } = key;
      const found = await apiKeys.findByHash(hashOf("a"));
      expect(found).toEqual({ id, accountId, personId, name, scopes, expiresAt });
      expect(await apiKeys.findByHash(hashOf("b"))).toBeNull();
    });

    it("lists an account's own keys in pages, tells when they were used, and forgets one that is revoked", async () => {
      const { apiKeys } = await opened();
      const add = (accountId: AccountId, name: string, expiresAt: number | null = null) =>
        apiKeys.create(accountId, { name, prefix: "sos_", hash: hashOf(name), scopes: ["read"], expiresAt });
      const [one, two, three] = [await add(MINE, "one"), await add(MINE, "two", 5), await add(MINE, "three")];
      const other = await add(OTHERS, "other");
      const first = await apiKeys.list(MINE, { limit: 2 });
      const second = await apiKeys.list(MINE, { limit: 2, cursor: first.next ?? undefined });
      expect([...first.items, ...second.items].map(({ name }) => name).sort()).toEqual([
        "one",
        "three",
        "two",
      ]);
      expect(second.next).toBeNull();
      expect(two).toMatchObject({ expiresAt: 5, lastUsedAt: null });
      await apiKeys.used(
        new Map([
          [one.id, 9],
          [three.id, 7],
        ]),
      );
      await apiKeys.used(new Map([[one.id, 8]]));
      expect((await apiKeys.get(MINE, one.id))?.lastUsedAt).toBe(9);
      expect(await apiKeys.get(MINE, other.id)).toBeNull();
      expect(await apiKeys.revoke(MINE, other.id)).toBe(false);
      expect(await apiKeys.revoke(MINE, one.id)).toBe(true);
      expect(await apiKeys.revoke(MINE, one.id)).toBe(false);
      expect(await apiKeys.findByHash(hashOf("one"))).toBeNull();
    });

    it("keeps facts, and lets the first of several settle one", async () => {
      const database = await newDatabase();
      const [one, two] = await database.openTwo();
      expect(await one.facts.get("log id")).toBeNull();
      const settled = await Promise.all([one.facts.ensure("log id", "a"), two.facts.ensure("log id", "b")]);
      expect(settled[0]).toBe(settled[1]);
      await one.facts.set("log id", "c");
      await one.facts.set("other", "d");
      expect([await two.facts.get("log id"), await two.facts.get("other")]).toEqual(["c", "d"]);
    });

    it("says that it is well", async () => {
      expect((await opened()).health()).toEqual({ name: "control", state: "ok", detail: null });
    });
  });
};
