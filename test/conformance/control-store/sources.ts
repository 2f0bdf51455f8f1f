import { describe, expect, it } from "vitest";
import { SourceId } from "../../../schemas/common.ts";
import { InvalidCursorError } from "../../../src/domain/cursor.ts";
import { ManualClock } from "../../support/clock.ts";
import type { NewDatabase } from "../control-store.ts";
import { aSimulator, aSource, DEFAULTS, fixedUlid, MINE, OTHERS, succeeded } from "./examples.ts";

const SECRETS = [
  "Bearer s3cr3t-header",
  "t0ken-in-handshake",
  "k3y-in-address",
  "t0ken-in-subprotocol",
  "t0ken-in-heartbeat",
];
const withSecrets = () =>
  aSource({
    url: `ws://127.0.0.1:9/feed?key=${SECRETS[2]}`,
    headers: { Authorization: SECRETS[0], "X-Other": "plain" },
    subprotocols: ["v1", SECRETS[3]],
    handshake: [{ expect: "hello" }, { send: { token: SECRETS[1] } }, { send: `login ${SECRETS[1]}` }],
    heartbeat: { intervalSeconds: 5, send: SECRETS[4] },
  });
const NOT_FOUND = { ok: false, reason: "not_found" };

export const sourcesSuite = (newDatabase: NewDatabase): void => {
  const opened = async (options = {}) => (await newDatabase()).open(options);

  describe("sources", () => {
    it("gives back every setting, secrets opened, to who asks by id and to who lists", async () => {
      const clock = new ManualClock();
      const { sources } = await opened({ clock });
      const created = succeeded(await sources.create(MINE, withSecrets()));
      const times = { createdAt: clock.now(), updatedAt: clock.now() };
      expect(created).toEqual({
        id: created.id,
        accountId: MINE,
        revision: 1,
        settings: withSecrets(),
        ...times,
      });
      expect(await sources.find(created.id)).toEqual(created);
      expect((await sources.get(MINE, created.id))?.source).toEqual(created);
      const { items } = await sources.list(MINE, { limit: 10 });
      expect(items.map(({ source }) => source)).toEqual([created]);
    });

    it("keeps no secret readable in what it stores", async () => {
      const database = await newDatabase();
      const { sources } = await database.open();
      const { id } = succeeded(await sources.create(MINE, withSecrets()));
      await sources.update(MINE, id, { name: "findable name" });
      const [query, header, body] = [`key=${SECRETS[2]}`, SECRETS[0] ?? "", { token: SECRETS[1] }];
      const url = `https://127.0.0.1:9/feed?${query}`;
      const asked = aSource({ type: "http-poll", url, headers: { a: header }, method: "POST", body });
      const streamed = aSource({ type: "http-stream", url, headers: { a: header } });
      for (const settings of [asked, streamed]) {
        const made = succeeded(await sources.create(MINE, settings));
        expect((await sources.find(made.id))?.settings).toEqual(settings);
      }
      const bytes = await database.bytes();
      expect(bytes.includes("findable name")).toBe(true);
      for (const secret of SECRETS) expect(bytes.includes(secret)).toBe(false);
    });

    it("refuses to open under another key, and says so without showing either", async () => {
      const database = await newDatabase();
      await (await database.open({ secretKey: new Uint8Array(32).fill(7) })).close();
      await expect(database.open({ secretKey: new Uint8Array(32).fill(8) })).rejects.toThrow(
        "SECRET_KEY is not the one that this control data was sealed with",
      );
    });

    it("replaces what a patch names as a whole, and keeps what it does not name, secrets included", async () => {
      const { sources } = await opened();
      const { id } = succeeded(await sources.create(MINE, withSecrets()));
      const renamed = succeeded(await sources.update(MINE, id, { name: "other" })).settings;
      expect(renamed).toEqual({ ...withSecrets(), name: "other" });
      const replaced = succeeded(await sources.update(MINE, id, { headers: { "X-New": "1" } }));
      expect(replaced.settings).toEqual({ ...withSecrets(), name: "other", headers: { "X-New": "1" } });
      expect(await sources.find(id)).toEqual(replaced);
      const [subprotocols, heartbeat] = [["v2"], { intervalSeconds: 9, expectWithinSeconds: 9 }];
      const other = succeeded(await sources.update(MINE, id, { subprotocols, heartbeat }));
      expect(other.settings).toEqual({ ...replaced.settings, subprotocols, heartbeat });
      expect(await sources.find(id)).toEqual(other);
    });

    it("refuses the settings of another type of source, and names the first", async () => {
      const { sources } = await opened();
      const socket = succeeded(await sources.create(MINE, aSource()));
      const simulator = succeeded(await sources.create(MINE, aSimulator()));
      const refused = { ok: false, reason: "invalid" };
      expect(await sources.update(MINE, socket.id, { name: "x", seed: 3 })).toMatchObject({
        ...refused,
        path: "seed",
      });
      expect(await sources.update(MINE, simulator.id, { url: "wss://a.example" })).toMatchObject({
        ...refused,
        path: "url",
      });
      const backwards = { ...DEFAULTS, floorDbm: -50, ceilingDbm: -90 };
      expect(await sources.update(MINE, socket.id, { defaults: backwards })).toMatchObject({
        ...refused,
        path: "defaults.floorDbm",
      });
      expect(await sources.find(socket.id)).toEqual(socket);
    });

    it("counts revisions, and tells the log of each but not of a patch that changes nothing", async () => {
      const { sources, outbox } = await opened();
      const { id } = succeeded(await sources.create(MINE, aSimulator()));
      const changed = await sources.update(MINE, id, { enabled: false });
      expect(changed).toMatchObject({ ok: true, value: { revision: 2 } });
      expect(await sources.update(MINE, id, { enabled: false })).toMatchObject({ ok: true, outbox: 0 });
      const removed = await sources.remove(MINE, id);
      const rows = await outbox.read(0, 10);
      expect(rows.map(({ entry }) => entry)).toEqual(
        [1, 2, null].map((revision) => ({ topic: "sources", sourceId: id, revision })),
      );
      expect(removed).toMatchObject({ ok: true, outbox: rows.at(-1)?.position });
    });

    it("keeps another account's source out of sight and out of reach", async () => {
      const { sources } = await opened();
      const source = succeeded(await sources.create(MINE, aSource()));
      expect(await sources.get(OTHERS, source.id)).toBeNull();
      expect((await sources.list(OTHERS, { limit: 10 })).items).toEqual([]);
      expect(await sources.update(OTHERS, source.id, { name: "x" })).toEqual(NOT_FOUND);
      expect(await sources.remove(OTHERS, source.id)).toEqual(NOT_FOUND);
      expect(await sources.rejections(OTHERS, source.id, { limit: 10 })).toBeNull();
      expect(await sources.find(source.id)).toEqual(source);
    });

    it("lists in pages, each source once", async () => {
      const { sources } = await opened();
      const made: string[] = [];
      for (let i = 0; i < 5; i++) made.push(succeeded(await sources.create(MINE, aSimulator())).id);
      const first = await sources.list(MINE, { limit: 3 });
      const second = await sources.list(MINE, { limit: 3, cursor: first.next ?? "" });
      const ids = [...first.items, ...second.items].map(({ source }) => source.id);
      expect(ids).toEqual(made.sort());
      expect(second.next).toBeNull();
      await expect(sources.list(MINE, { limit: 3, cursor: "x" })).rejects.toThrow(InvalidCursorError);
    });

    it("leaves the signals that it made when it is removed, still naming it", async () => {
      const { sources, signals } = await opened();
      const { id } = succeeded(await sources.create(MINE, aSimulator()));
      const request = { accountId: MINE, sourceId: id, externalIds: ["a"], create: true, defaults: DEFAULTS };
      await signals.resolve(request);
      expect(await sources.remove(MINE, id)).toMatchObject({ ok: true });
      expect(await sources.find(id)).toBeNull();
      expect(await sources.remove(MINE, id)).toEqual(NOT_FOUND);
      const { items } = await signals.list(MINE, { limit: 10, sort: "name" });
      expect(items.map(({ definition }) => definition.sourceId)).toEqual([id]);
    });

    it("says not found for an id that never was", async () => {
      const { sources } = await opened();
      const unknown = SourceId.parse(`src_${fixedUlid(9)}`);
      expect(await sources.find(unknown)).toBeNull();
      expect(await sources.get(MINE, unknown)).toBeNull();
      expect(await sources.update(MINE, unknown, { name: "x" })).toEqual(NOT_FOUND);
    });
  });
};
