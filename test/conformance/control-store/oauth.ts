import { describe, expect, it } from "vitest";
import { AccountId, OAuthClientId, OAuthGrantId, type PersonId } from "../../../schemas/common.ts";
import { Email } from "../../../schemas/email.ts";
import {
  COMMAND_LINE_CLIENT,
  COMMAND_LINE_NAME,
  type OAuthClientSettings,
} from "../../../schemas/oauth-client.ts";
import { NOWHERE } from "../../../src/ports/audit.ts";
import type { ControlStore } from "../../../src/ports/control-store.ts";
import type { OAuthRecord } from "../../../src/ports/oauth.ts";
import { ManualClock } from "../../support/clock.ts";
import type { NewDatabase } from "../control-store.ts";
import { fixedUlid, MINE, OTHERS, succeeded } from "./examples.ts";

const MINUTE_MS = 60_000;
const SECRET = "a-secret-that-stands-nowhere";
const NOBODY = OAuthClientId.parse(`ocl_${fixedUlid(9)}`);
const SETTINGS: OAuthClientSettings = {
  name: "Wallboard",
  grants: ["authorization_code"],
  scopes: ["read"],
  redirectUris: ["https://wallboard.example/callback"],
  accessTokens: "opaque",
  confidential: true,
};

const recordOf = (more: Partial<OAuthRecord> = {}): OAuthRecord => ({
  kind: "RefreshToken",
  content: '{"scope":"read"}',
  clientId: COMMAND_LINE_CLIENT,
  grantId: null,
  userCode: null,
  expiresAt: 10 * MINUTE_MS,
  ...more,
});

const personOf = async ({ access }: ControlStore, name = "jane"): Promise<PersonId> => {
  const made = await access.people.create(Email.parse(`${name}@example.org`), null);
  if (made === null) throw new Error("the address is taken");
  return made.id;
};
const granted = (store: ControlStore, personId: PersonId, more: object = {}) =>
  store.access.oauth.grants.create({
    clientId: COMMAND_LINE_CLIENT,
    personId,
    accountId: MINE,
    scopes: ["read", "write"],
    expiresAt: 5 * MINUTE_MS,
    ...more,
  });
/** Six times, of both in turn. */
const sixTimes = (
  [one, two]: readonly [ControlStore, ControlStore],
  act: (store: ControlStore) => Promise<boolean>,
) => Promise.all([one, two, one, two, one, two].map(act));
const wins = (results: readonly boolean[]): number => results.filter(Boolean).length;

export const oauthSuite = (newDatabase: NewDatabase): void => {
  const opened = async (clock = new ManualClock(0)) => ({
    clock,
    store: await (await newDatabase()).open({ clock }),
  });

  describe("programs", () => {
    it("are their account's alone, changed as they were seen, and gone with all that they were given", async () => {
      const { store } = await opened();
      const { clients, grants, records } = store.access.oauth;
      const made = succeeded(await clients.create(MINE, SETTINGS, SECRET, null));
      expect(made).toMatchObject({ accountId: MINE, revision: 1, settings: SETTINGS });
      expect(await clients.get(MINE, made.id)).toEqual(made);
      expect(await clients.find(made.id)).toEqual(made);
      expect(await clients.get(OTHERS, made.id)).toBeNull();
      expect((await clients.list(OTHERS, { limit: 10 })).items).toEqual([]);
      expect(await clients.update(OTHERS, made.id, { name: "x" })).toEqual({
        ok: false,
        reason: "not_found",
      });
      expect(await clients.update(MINE, made.id, { name: "x" }, [7])).toMatchObject({
        reason: "precondition_failed",
        revision: 1,
      });
      expect(await clients.update(MINE, made.id, { redirectUris: [] })).toMatchObject({
        reason: "invalid",
        path: "redirectUris",
      });
      const renamed = succeeded(await clients.update(MINE, made.id, { name: "Board" }, [1]));
      expect(renamed).toMatchObject({ revision: 2, settings: { ...SETTINGS, name: "Board" } });
      expect(succeeded(await clients.update(MINE, made.id, { name: "Board" })).revision).toBe(2);
      const jane = await personOf(store);
      const grantId = await granted(store, jane, { clientId: made.id });
      await records.put("t", recordOf({ clientId: made.id, grantId }));
      expect(await clients.remove(OTHERS, made.id)).toEqual({ ok: false, reason: "not_found" });
      expect(await clients.remove(MINE, made.id, [1])).toMatchObject({ reason: "precondition_failed" });
      succeeded(await clients.remove(MINE, made.id, [2]));
      expect(await clients.find(made.id)).toBeNull();
      expect((await grants.list(jane, { limit: 10 })).items).toEqual([]);
      expect(await records.find("RefreshToken", "t")).toBeNull();
    });

    it("are listed in pages, and are at most a hundred", async () => {
      const { store, clock } = await opened();
      const { clients } = store.access.oauth;
      for (let n = 0; n < 100; n++) {
        clock.advance(1);
        succeeded(await clients.create(MINE, { ...SETTINGS, name: `${n}` }, SECRET, null));
      }
      expect(await clients.create(MINE, SETTINGS, SECRET, null)).toMatchObject({
        ok: false,
        reason: "conflict",
      });
      succeeded(await clients.create(OTHERS, SETTINGS, SECRET, null));
      const first = await clients.list(MINE, { limit: 60 });
      const second = await clients.list(MINE, { limit: 60, cursor: first.next ?? "" });
      expect(second.next).toBeNull();
      expect([...first.items, ...second.items].map(({ settings }) => settings.name)).toEqual(
        Array.from({ length: 100 }, (_, n) => `${n}`),
      );
    });

    it("are of whoever was shown their newest secret, or of nobody", async () => {
      const { store } = await opened();
      const { clients } = store.access.oauth;
      const [jane, john] = [await personOf(store), await personOf(store, "john")];
      const made = succeeded(await clients.create(MINE, SETTINGS, SECRET, jane));
      expect(made.personId).toBe(jane);
      expect((await clients.find(made.id))?.personId).toBe(jane);
      expect(succeeded(await clients.update(MINE, made.id, { name: "x" })).personId).toBe(jane);
      expect(succeeded(await clients.setSecret(MINE, made.id, "next", john)).personId).toBe(john);
      expect((await clients.find(made.id))?.personId).toBe(john);
      expect(succeeded(await clients.setSecret(MINE, made.id, "last", null)).personId).toBeNull();
      expect(succeeded(await clients.create(MINE, SETTINGS, SECRET, null)).personId).toBeNull();
    });

    it("have the newest secret and no other, unless they have none", async () => {
      const { store } = await opened();
      const { clients } = store.access.oauth;
      const { id } = succeeded(await clients.create(MINE, SETTINGS, SECRET, null));
      expect(await clients.hasSecret(id, SECRET)).toBe(true);
      expect(await clients.hasSecret(id, `${SECRET}x`)).toBe(false);
      expect(await clients.hasSecret(NOBODY, SECRET)).toBe(false);
      expect(await clients.setSecret(OTHERS, id, "next", null)).toEqual({ ok: false, reason: "not_found" });
      succeeded(await clients.setSecret(MINE, id, "next", null));
      expect(await clients.hasSecret(id, SECRET)).toBe(false);
      expect(await clients.hasSecret(id, "next")).toBe(true);
      const open = succeeded(await clients.create(MINE, { ...SETTINGS, confidential: false }, null, null));
      expect(await clients.hasSecret(open.id, "")).toBe(false);
      expect(await clients.setSecret(MINE, open.id, "next", null)).toMatchObject({ reason: "conflict" });
    });
  });

  describe("what a person allowed a program", () => {
    it("opens what their role does now, and nothing once they were suspended, or are gone", async () => {
      const { store } = await opened();
      const { members } = store.access;
      const { grants } = store.access.oauth;
      const accountId = (await store.accounts.first()).id;
      const [jane, john] = [await personOf(store), await personOf(store, "john")];
      await members.add(accountId, john, "owner");
      const id = await granted(store, jane, { accountId });
      expect(await grants.open(id)).toBeNull();
      expect(await grants.standing(jane, accountId)).toBeNull();
      await members.add(accountId, jane, "editor");
      expect(await grants.open(id)).toMatchObject({
        id,
        role: "editor",
        personId: jane,
        accountId,
        clientId: COMMAND_LINE_CLIENT,
        clientName: COMMAND_LINE_NAME,
        email: "jane@example.org",
        scopes: ["read", "write"],
      });
      expect(await grants.standing(jane, accountId)).toEqual({
        role: "editor",
        accountName: null,
        isSecondFactorRequired: false,
      });
      succeeded(await members.change(accountId, jane, { isSuspended: true }));
      expect(await grants.open(id)).toBeNull();
      expect(await grants.standing(jane, accountId)).toBeNull();
      const meanwhile = await granted(store, jane, { accountId });
      succeeded(await members.change(accountId, jane, { isSuspended: false, role: "viewer" }));
      expect([await grants.open(id), await grants.open(meanwhile)]).toEqual([null, null]);
      const later = await granted(store, jane, { accountId });
      expect((await grants.open(later))?.role).toBe("viewer");
      succeeded(await members.remove(accountId, jane));
      expect(await grants.open(later)).toBeNull();
    });

    it("opens nothing as long as the account asks for a second factor that they do not have", async () => {
      const { store } = await opened();
      const { members, people } = store.access;
      const { grants } = store.access.oauth;
      const accountId = (await store.accounts.first()).id;
      const jane = await personOf(store);
      await members.add(accountId, jane, "editor");
      const id = await granted(store, jane, { accountId });
      succeeded(await store.accounts.update(accountId, { isSecondFactorRequired: true }));
      expect(await grants.open(id)).toBeNull();
      await people.proposeSecondFactor(jane, "JBSWY3DPEHPK3PXP");
      expect(await grants.open(id)).toBeNull();
      await people.takeStep(jane, 100, true);
      expect(await grants.open(id)).toMatchObject({ id, role: "editor" });
      await people.removeSecondFactor(jane);
      expect(await grants.open(id)).toBeNull();
    });

    it("opens no more than the program may have now", async () => {
      const { store } = await opened();
      const { grants, clients } = store.access.oauth;
      const accountId = (await store.accounts.first()).id;
      const jane = await personOf(store);
      await store.access.members.add(accountId, jane, "owner");
      const all = { ...SETTINGS, scopes: ["read" as const, "write" as const, "admin" as const] };
      const { id: clientId } = succeeded(await clients.create(accountId, all, SECRET, null));
      const some = await granted(store, jane, { accountId, clientId });
      const every = await granted(store, jane, { accountId, clientId, scopes: ["admin"] });
      const scopesOf = async () => [(await grants.open(some))?.scopes, (await grants.open(every))?.scopes];
      expect(await scopesOf()).toEqual([["read", "write"], ["admin"]]);
      succeeded(await clients.update(accountId, clientId, { scopes: ["read"] }));
      expect(await scopesOf()).toEqual([["read"], ["read"]]);
      succeeded(await clients.update(accountId, clientId, { scopes: ["admin"] }));
      expect(await scopesOf()).toEqual([["read", "write"], ["admin"]]);
    });

    it("is listed to them with the program's name, told when it was used, and ended by nobody else", async () => {
      const { store, clock } = await opened();
      const { grants, clients, records } = store.access.oauth;
      const [jane, john] = [await personOf(store), await personOf(store, "john")];
      const program = succeeded(await clients.create(MINE, SETTINGS, SECRET, null));
      const first = await granted(store, jane, { clientId: program.id });
      clock.advance(1);
      const second = await granted(store, jane);
      await granted(store, john);
      const page = await grants.list(jane, { limit: 1 });
      expect(page.items).toMatchObject([{ id: first, clientName: "Wallboard", lastUsedAt: null }]);
      expect((await grants.list(jane, { limit: 1, cursor: page.next ?? "" })).items).toMatchObject([
        { id: second, clientName: COMMAND_LINE_NAME },
      ]);
      await grants.used(new Map([[first, 500]]));
      await grants.used(new Map([[first, 400]]));
      expect((await grants.list(jane, { limit: 1 })).items[0]?.lastUsedAt).toBe(500);
      await records.put("t", recordOf({ grantId: first }));
      expect(await grants.end(first, john)).toBe(false);
      expect(await records.find("RefreshToken", "t")).not.toBeNull();
      expect(await grants.end(first, jane)).toBe(true);
      expect(await grants.end(first, jane)).toBe(false);
      expect(await records.find("RefreshToken", "t")).toBeNull();
      expect(await grants.end(second)).toBe(true);
    });

    it("ends once, which is in both logs with why, under the name of whoever ended it", async () => {
      const { store } = await opened();
      const jane = await personOf(store);
      const actor = { kind: "program", id: NOBODY, name: "Wallboard" } as const;
      const { grants } = store.by({ actor, origin: NOWHERE }).access.oauth;
      const [given, twice] = [await granted(store, jane), await granted(store, jane)];
      expect([await grants.end(given), await grants.end(given)]).toEqual([true, false]);
      expect([await grants.endReplayed(twice), await grants.endReplayed(twice)]).toEqual([true, false]);
      const own = (await store.audit.list({ personId: jane }, { limit: 9 })).items;
      expect(own).toMatchObject([
        { action: "oauth_grant.replayed", actor, target: { id: twice }, accountId: MINE },
        { action: "oauth_grant.revoked", actor, target: { id: given }, accountId: MINE },
      ]);
      expect((await store.audit.list({ accountId: MINE }, { limit: 9 })).items).toEqual(own);
    });

    it("lasts as long as what was issued under it, and is then forgotten with it", async () => {
      const { store, clock } = await opened();
      const { grants, records } = store.access.oauth;
      const accountId = (await store.accounts.first()).id;
      const jane = await personOf(store);
      await store.access.members.add(accountId, jane, "owner");
      const [kept, short] = [
        await granted(store, jane, { accountId }),
        await granted(store, jane, { accountId }),
      ];
      await records.put("long", recordOf({ grantId: kept, expiresAt: 30 * MINUTE_MS }));
      await records.put("short", recordOf({ grantId: kept, expiresAt: MINUTE_MS }));
      clock.advance(5 * MINUTE_MS);
      expect(await grants.open(short)).toBeNull();
      expect((await grants.list(jane, { limit: 5 })).items.map(({ id }) => id)).toEqual([kept]);
      expect((await grants.open(kept))?.expiresAt).toBe(30 * MINUTE_MS);
      expect(await store.access.prune(clock.now(), 100)).toBe(2);
      expect(await records.find("RefreshToken", "short")).toBeNull();
      expect(await records.find("RefreshToken", "long")).not.toBeNull();
      clock.advance(25 * MINUTE_MS);
      expect(await grants.open(kept)).toBeNull();
      expect(await store.access.prune(clock.now(), 100)).toBe(2);
    });
  });

  describe("tokens and codes", () => {
    it("are found by themselves alone, each kind by its own, and replaced as a whole", async () => {
      const { store } = await opened();
      const { records } = store.access.oauth;
      await records.put("t", recordOf());
      expect(await records.find("RefreshToken", "t")).toEqual({
        kind: "RefreshToken",
        content: '{"scope":"read"}',
        expiresAt: 10 * MINUTE_MS,
        consumedAt: null,
      });
      expect(await records.find("AccessToken", "t")).toBeNull();
      expect(await records.findAccess("t")).toBeNull();
      await records.put("a", recordOf({ kind: "AccessToken", content: "a" }));
      await records.put("c", recordOf({ kind: "ClientCredentials", content: "c" }));
      expect((await records.findAccess("a"))?.content).toBe("a");
      expect((await records.findAccess("c"))?.content).toBe("c");
      await records.put("d", recordOf({ kind: "DeviceCode", content: "1", userCode: "BCDFGHJK" }));
      await records.put(
        "d",
        recordOf({ kind: "DeviceCode", content: "2", userCode: "BCDFGHJK", expiresAt: 7 }),
      );
      expect(await records.findByUserCode("BCDFGHJK")).toMatchObject({ content: "2", expiresAt: 7 });
      expect(await records.findByUserCode("BCDFGHJL")).toBeNull();
      await records.remove("DeviceCode", "d");
      expect(await records.findByUserCode("BCDFGHJK")).toBeNull();
    });

    it("are redeemed once, and decided on once, of all that do it at the same time", async () => {
      const stores = await (await newDatabase()).openTwo();
      const { records } = stores[0].access.oauth;
      for (const kind of ["AuthorizationCode", "RefreshToken", "DeviceCode"] as const) {
        await records.put("t", recordOf({ kind }));
        const claimed = await sixTimes(stores, ({ access }) => access.oauth.records.claim(kind, "t"));
        expect([kind, wins(claimed)]).toEqual([kind, 1]);
        const consumed = await sixTimes(stores, ({ access }) => access.oauth.records.consume(kind, "t"));
        expect([kind, wins(consumed)]).toEqual([kind, 1]);
        // What is saved again stays redeemed.
        await records.put("t", recordOf({ kind, content: "again" }));
        expect(await records.find(kind, "t")).toMatchObject({
          content: "again",
          consumedAt: expect.any(Number),
        });
        expect(await records.consume(kind, "t")).toBe(false);
        expect(await records.claim(kind, "t")).toBe(false);
      }
      expect(await records.consume("RefreshToken", "unknown")).toBe(false);
    });

    it("of a grant end together, kind by kind", async () => {
      const { store } = await opened();
      const { records } = store.access.oauth;
      const jane = await personOf(store);
      const [one, other] = [await granted(store, jane), await granted(store, jane)];
      await records.put("a", recordOf({ kind: "AccessToken", grantId: one }));
      await records.put("r", recordOf({ grantId: one }));
      await records.put("o", recordOf({ grantId: other }));
      await records.removeOfGrant("RefreshToken", one);
      expect(await records.find("RefreshToken", "r")).toBeNull();
      expect(await records.find("AccessToken", "a")).not.toBeNull();
      expect(await records.find("RefreshToken", "o")).not.toBeNull();
      await records.removeOfGrant("RefreshToken", OAuthGrantId.parse(`ogr_${fixedUlid(8)}`));
    });
  });

  it("what tokens are signed with is made once, whoever comes first", async () => {
    const stores = await (await newDatabase()).openTwo();
    const made = await Promise.all(
      stores.map(({ access }, n) => access.oauth.keys(async () => `${SECRET} of ${n}`)),
    );
    expect(new Set(made).size).toBe(1);
    expect(await stores[0].access.oauth.keys(() => Promise.reject(new Error("made again")))).toBe(made[0]);
  });

  it("no token, code, secret or key can be read in the database", async () => {
    const database = await newDatabase();
    const store = await database.open();
    const { clients, records, keys } = store.access.oauth;
    const tokens = ["access-token-0123456789", "refresh-token-0123456789", "device-code-0123456789"];
    const [access = "", refresh = "", device = ""] = tokens;
    succeeded(await clients.create(AccountId.parse(MINE), SETTINGS, SECRET, null));
    await records.put(access, recordOf({ kind: "AccessToken", content: JSON.stringify({ jti: access }) }));
    await records.put(refresh, recordOf({ content: JSON.stringify({ jti: refresh }) }));
    await records.put(
      device,
      recordOf({ kind: "DeviceCode", content: JSON.stringify({ jti: device }), userCode: "BCDFGHJK" }),
    );
    await keys(async () => "the-signing-key-itself");
    const bytes = await database.bytes();
    const secrets = [...tokens, SECRET, "BCDFGHJK", "the-signing-key-itself"];
    expect(secrets.filter((secret) => bytes.includes(secret))).toEqual([]);
    expect(bytes.includes("Wallboard")).toBe(true);
  });
};
