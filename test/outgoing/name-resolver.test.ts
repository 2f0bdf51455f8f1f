import type { LookupAddress } from "node:dns";
import { describe, expect, it, onTestFinished } from "vitest";
import { NameResolver } from "../../src/outgoing/name-resolver.ts";
import { nameServer } from "../support/name-server.ts";

const resolverOf = async (names: Record<string, readonly string[] | undefined>) => {
  const server = await nameServer((name) => (name in names ? names[name] : null));
  const resolver = new NameResolver([server]);
  onTestFinished(() => resolver.close());
  const resolve = (name: string, family = 0) =>
    new Promise<LookupAddress[] | string>((done) => {
      resolver.lookup(name, { family, all: true }, (error, addresses) => {
        done(error === null ? addresses : String(error.code));
      });
    });
  return { resolver, resolve };
};

describe("the resolver of names", () => {
  it("gives all addresses of a name, and says when there is none", async () => {
    const { resolve } = await resolverOf({ "hook.example": ["8.8.8.8", "10.0.0.1"], "empty.example": [] });
    const found = [
      { address: "8.8.8.8", family: 4 },
      { address: "10.0.0.1", family: 4 },
    ];
    expect(await resolve("hook.example")).toEqual(expect.arrayContaining(found));
    expect(await resolve("hook.example", 4)).toHaveLength(2);
    expect(await resolve("hook.example", 6)).toBe("ENODATA");
    expect(await resolve("empty.example")).toBe("ENODATA");
    expect(await resolve("unknown.example")).toBe("ENOTFOUND");
  });

  it("does not know this machine's own names", async () => {
    const { resolve } = await resolverOf({});
    expect(await resolve("localhost")).toBe("ENOTFOUND");
  });

  it("is held up by no names whose servers are silent", async () => {
    const names = Array.from({ length: 50 }, (_, index) => `silent-${index}.example`);
    const silences = Object.fromEntries(names.map((name) => [name, undefined]));
    const { resolver, resolve } = await resolverOf({ ...silences, "hook.example": ["8.8.8.8"] });
    let ended = 0;
    const silent = names.map((name) => resolve(name).finally(() => ended++));
    expect(await resolve("hook.example")).toEqual([{ address: "8.8.8.8", family: 4 }]);
    expect(ended).toBe(0);
    resolver.close();
    expect(new Set(await Promise.all(silent))).toEqual(new Set(["ECANCELLED"]));
  });
});
