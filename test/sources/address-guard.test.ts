import type { LookupAddress } from "node:dns";
import { describe, expect, it } from "vitest";
import { addressProblem, guardedLookup, literalAddress } from "../../src/sources/address-guard.ts";

const resolvesTo =
  (...addresses: string[]) =>
  (_host: string, _options: object, callback: (error: null, found: LookupAddress[]) => void) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    );

const lookUp = (allowPrivate: boolean, addresses: string[], all: boolean) =>
  new Promise<unknown>((resolve) => {
    const lookup = guardedLookup(allowPrivate, resolvesTo(...addresses));
    lookup("feed.example", { all }, (error, found) => resolve(error ?? found));
  });

describe("the guard of a source's address", () => {
  it("never lets link-local addresses pass, however they are written", () => {
    for (const address of [
      "169.254.0.1",
      "169.254.169.254",
      "fe80::1",
      "febf::1",
      "fe80::1%eth0",
      "::ffff:169.254.169.254",
      "::ffff:a9fe:a9fe",
      "64:ff9b::a9fe:a9fe",
      "::ffff:0:169.254.169.254",
      "64:ff9b:1::a9fe:a9fe",
      "2002:a9fe:a9fe::1",
      "::169.254.169.254",
    ]) {
      expect(addressProblem(address, true), address).toContain("link-local");
    }
  });

  it("lets private addresses pass only where that is allowed", () => {
    for (const address of [
      "10.0.0.1",
      "127.0.0.1",
      "172.16.0.1",
      "172.31.255.255",
      "192.168.1.1",
      "100.64.0.1",
      "0.0.0.0",
      "::1",
      "::",
      "fc00::1",
      "fd12::1",
      "fec0::1",
      "2001::1",
      "2002:7f00:1::",
      "::ffff:0:10.0.0.1",
      "64:ff9b::10.0.0.1",
      "3fff::1",
      "::ffff:10.0.0.1",
      "::ffff:7f00:1",
      "224.0.0.1",
      "255.255.255.255",
    ]) {
      expect(addressProblem(address, true), address).toBeNull();
      expect(addressProblem(address, false), address).toContain("private");
    }
    for (const address of ["8.8.8.8", "172.32.0.1", "2606:4700::1111", "::ffff:8.8.8.8"]) {
      expect(addressProblem(address, false), address).toBeNull();
    }
  });

  it("sees through the ways to write an IPv4 address in a URL", () => {
    for (const host of ["2130706433", "0x7f.1", "0177.0.0.1", "127.1", "127.0.0.1"]) {
      expect(literalAddress(new URL(`ws://${host}/`)), host).toBe("127.0.0.1");
    }
    expect(literalAddress(new URL("ws://[::ffff:10.0.0.1]/"))).toBe("::ffff:a00:1");
    expect(literalAddress(new URL("ws://feed.example/"))).toBeNull();
  });

  it("connects to the addresses it has checked, and to none if any is refused", async () => {
    expect(await lookUp(false, ["8.8.8.8", "1.1.1.1"], true)).toEqual([
      { address: "8.8.8.8", family: 4 },
      { address: "1.1.1.1", family: 4 },
    ]);
    expect(await lookUp(false, ["8.8.8.8"], false)).toBe("8.8.8.8");
    expect(await lookUp(false, ["8.8.8.8", "10.0.0.1"], true)).toMatchObject({ name: "AddressRefusedError" });
    expect(String(await lookUp(false, ["10.9.8.7"], true))).not.toContain("10.9.8.7");
    expect(String(await lookUp(true, ["169.254.169.254"], false))).toContain("169.254.169.254");
    expect(await lookUp(true, ["169.254.169.254"], false)).toMatchObject({ name: "AddressRefusedError" });
    expect(await lookUp(true, [], false)).toBeInstanceOf(Error);
  });
});
