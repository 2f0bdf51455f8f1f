import { describe, expect, it } from "vitest";
import { addressKind, literalAddress } from "../../src/outgoing/address-kind.ts";

const literal = (host: string): string | null => literalAddress(new URL(`https://${host}/hook`));

describe("the kind of an address", () => {
  it.each([
    ["link-local", ["169.254.0.1", "169.254.169.254", "fe80::1", "febf::1", "fe80::1%eth0"]],
    ["link-local, mapped", ["::ffff:169.254.169.254", "::ffff:a9fe:a9fe", "0:0:0:0:0:ffff:a9fe:a9fe"]],
    ["link-local, compatible or translated", ["::169.254.169.254", "::ffff:0:a9fe:a9fe"]],
    [
      "link-local, by NAT64 and 6to4",
      ["64:ff9b::a9fe:a9fe", "64:ff9b::169.254.169.254", "2002:a9fe:a9fe::1"],
    ],
    ["metadata", ["100.100.100.200", "168.63.129.16", "192.0.0.192", "fd00:ec2::254", "fd20:ce::254"]],
    ["metadata, mapped", ["::ffff:168.63.129.16", "::ffff:100.100.100.200"]],
    ["metadata, compatible or translated", ["::100.100.100.200", "::ffff:0:168.63.129.16"]],
    ["metadata, by NAT64", ["64:ff9b::100.100.100.200", "64:ff9b::192.0.0.192", "64:ff9b:1::168.63.129.16"]],
    ["metadata, by 6to4", ["2002:6464:64c8::1", "2002:a83f:8110:1::", "2002:c000:c0::"]],
    ["metadata: credentials of pods", ["fd00:ec2::23", "fd00:ec2::253"]],
    [
      "private: this network and loopback",
      ["0.0.0.0", "0.1.2.3", "127.0.0.1", "127.255.255.254", "::", "::1"],
    ],
    ["private: RFC 1918", ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1"]],
    ["private: shared, special, documentation", ["100.64.0.1", "100.127.255.255", "192.0.0.8", "192.0.2.1"]],
    [
      "private: benchmarks, documentation, relays",
      ["198.18.0.1", "198.51.100.1", "203.0.113.9", "192.88.99.1"],
    ],
    ["private: multicast, reserved, broadcast", ["224.0.0.1", "240.0.0.1", "255.255.255.255", "ff02::1"]],
    ["private: unique and site local", ["fc00::1", "fd12::1", "fec0::1"]],
    ["private, mapped", ["::ffff:10.0.0.1", "::ffff:7f00:1", "::ffff:0.0.0.0"]],
    ["private, compatible or translated", ["::10.0.0.1", "::7f00:1", "::ffff:0:a00:1"]],
    ["private, by NAT64", ["64:ff9b::10.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::a00:1"]],
    ["private, by 6to4 and Teredo", ["2002:a00:1::1", "2002:7f00:1::", "2001:0:a00:1::1"]],
    [
      "private: the rest outside 2000::/3",
      ["100::1", "5f00::1", "4000::1", "c000::1", "2001:db8::1", "3fff::1"],
    ],
    ["private: no address at all", ["", "feed.example", "1.2.3", "10.0.0.1.example"]],
    ["public", ["8.8.8.8", "172.32.0.1", "100.128.0.1", "192.0.1.1", "223.255.255.255", "169.253.0.1"]],
    ["public, IPv6", ["2606:4700::1111", "2a00:1450:4001::1", "2001:4860:4860::8888", "::ffff:8.8.8.8"]],
  ])("is %s", (kind, addresses) => {
    for (const address of addresses) expect(addressKind(address), address).toBe(kind.split(/[,:]/)[0]);
  });
});

describe("an address in a URL", () => {
  it.each([
    ["127.0.0.1", ["127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f.1", "0x7f000001", "0177.0.0.1"]],
    [
      "127.0.0.1",
      ["017700000001", "127.0.0.1.", "2130706433.", "127。0。0。1", "①②⑦.0.0.1", "%31%32%37.0.0.1"],
    ],
    ["0.0.0.0", ["0", "00", "0x0", "0.0"]],
    [
      "169.254.169.254",
      ["2852039166", "0xa9fea9fe", "0251.0376.0251.0376", "169.254.43518", "0xA9.254.169.0376"],
    ],
    ["10.0.0.1", ["10.1", "0xa.1", "012.1", "167772161"]],
    ["::ffff:a00:1", ["[::ffff:10.0.0.1]", "[::FFFF:A00:1]", "[0:0:0:0:0:ffff:10.0.0.1]"]],
    ["64:ff9b::a9fe:a9fe", ["[64:ff9b::169.254.169.254]"]],
    ["::1", ["[::1]", "[0:0::1]", "[::0.0.0.1]"]],
  ])("is seen as %s, however it is written", (address, hosts) => {
    for (const host of hosts) expect(literal(host), host).toBe(address);
  });

  it.each(["[fe80::1%25eth0]", "[::1]x", "256.1.1.1", "1.2.3.4.5", "0x100000000", "[::ffff:1.2.3]"])(
    "cannot be %s",
    (host) => expect(() => literal(host)).toThrow("Invalid URL"),
  );

  it("is none where the host is a name", () => {
    for (const host of ["hook.example", "localhost", "localhost.", "127.0.0.1.nip.io", "a.1x"]) {
      expect(literal(host), host).toBeNull();
    }
  });
});
