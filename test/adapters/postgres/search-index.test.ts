import { describe, expect, it, onTestFinished } from "vitest";
import { SignalCreate } from "../../../schemas/signal.ts";
import type { ControlStore } from "../../../src/ports/control-store.ts";
import { MINE } from "../../conformance/control-store/examples.ts";
import { asked, openTestControl, ownPostgres } from "../../support/postgres.ts";
import { POSTGRES_USER } from "../../support/postgres-server.ts";

/** A server of its own: extensions belong to a whole database. */
const newServer = async () => {
  const server = await ownPostgres();
  onTestFinished(() => server.remove());
  return server;
};

const add = ({ signals }: ControlStore, name: string) =>
  signals.create(MINE, SignalCreate.parse({ name, threshold: 0.4 }));
const found = async ({ signals }: ControlStore, q: string) =>
  (await signals.list(MINE, { q, sort: "name", limit: 10 })).items.map(({ definition }) => definition.name);
const searches = (url: string) =>
  asked<{ search: string }>(url, "select search from signal_search order by 1");

describe("the index of names by their parts", () => {
  it("is made for signals that were there before it, once by all who start together", async () => {
    const server = await newServer();
    const url = server.url();
    const before = await openTestControl({ url });
    await add(before, "Old Mast");
    await before.close();
    await asked(url, "drop table signal_search; drop function keep_signal_search cascade");
    const stores = await Promise.all([1, 2, 3].map(() => openTestControl({ url })));
    const [store] = stores;
    if (store === undefined) throw new Error("not opened");
    await add(store, "new mast");
    expect(await searches(url)).toEqual([{ search: "new mast\n" }, { search: "old mast\n" }]);
    for (const each of stores) expect(await found(each, "MAST")).toEqual(["Old Mast", "new mast"]);
    await Promise.all(stores.map((each) => each.close()));
  });

  it("is done without where the user may not have it, until somebody who may adds the extension", async () => {
    const server = await newServer();
    const login = { user: "guest", password: "guest" };
    await asked(
      server.url(),
      `create role guest login password 'guest'; create schema guest authorization guest;
       revoke create on database postgres from public`,
    );
    const url = server.url(login);
    const without = await openTestControl({ url });
    await add(without, "roof");
    await expect(searches(url)).rejects.toThrow("signal_search");
    expect(await found(without, "OOF")).toEqual(["roof"]);
    await without.close();
    await asked(server.url(POSTGRES_USER), "create extension pg_trgm schema public");
    const store = await openTestControl({ url });
    expect(await searches(url)).toEqual([{ search: "roof\n" }]);
    expect(await found(store, "OOF")).toEqual(["roof"]);
    await store.close();
  });
});
