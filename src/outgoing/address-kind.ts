import { BlockList, isIP } from "node:net";

type Subnet = readonly [network: string, prefix: number, family: "ipv4" | "ipv6"];

const blockList = (subnets: readonly Subnet[]): BlockList => {
  const list = new BlockList();
  for (const [network, prefix, family] of subnets) list.addSubnet(network, prefix, family);
  return list;
};

/** In every way to write it: itself, IPv4-compatible, translated (RFC 7915), NAT64 (RFC 6052, RFC 8215), 6to4. */
const LINK_LOCAL = blockList([
  ["169.254.0.0", 16, "ipv4"],
  ["fe80::", 10, "ipv6"],
  ["::a9fe:0", 112, "ipv6"],
  ["::ffff:0:a9fe:0", 112, "ipv6"],
  ["64:ff9b::a9fe:0", 112, "ipv6"],
  ["64:ff9b:1::a9fe:0", 112, "ipv6"],
  ["2002:a9fe::", 32, "ipv6"],
]);

/** An IPv4 address, and its two halves in hexadecimal, in all those ways. */
const inEveryWay = (ipv4: string, high: string, low: string): Subnet[] => [
  [ipv4, 32, "ipv4"],
  [`::${high}:${low}`, 128, "ipv6"],
  [`::ffff:0:${high}:${low}`, 128, "ipv6"],
  [`64:ff9b::${high}:${low}`, 128, "ipv6"],
  [`64:ff9b:1::${high}:${low}`, 128, "ipv6"],
  [`2002:${high}:${low}::`, 48, "ipv6"],
];

/**
 * Where clouds tell a machine its own secrets, beside 169.254.169.254 (Alibaba, Azure, Oracle; AWS, Google); one of them
 * looks like a public address. All of fd00:ec2::/32 is AWS' own: at ::23 it gives a pod its credentials.
 */
const METADATA = blockList([
  ...inEveryWay("100.100.100.200", "6464", "64c8"),
  ...inEveryWay("168.63.129.16", "a83f", "8110"),
  ...inEveryWay("192.0.0.192", "c000", "c0"),
  ["fd00:ec2::", 32, "ipv6"],
  ["fd20:ce::254", 128, "ipv6"],
]);

/** All of IPv4 that is not public unicast: the special-purpose registry of IANA (RFC 6890). */
const PRIVATE = blockList([
  ["0.0.0.0", 8, "ipv4"],
  ["10.0.0.0", 8, "ipv4"],
  ["100.64.0.0", 10, "ipv4"],
  ["127.0.0.0", 8, "ipv4"],
  ["172.16.0.0", 12, "ipv4"],
  ["192.0.0.0", 24, "ipv4"],
  ["192.0.2.0", 24, "ipv4"],
  ["192.88.99.0", 24, "ipv4"],
  ["192.168.0.0", 16, "ipv4"],
  ["198.18.0.0", 15, "ipv4"],
  ["198.51.100.0", 24, "ipv4"],
  ["203.0.113.0", 24, "ipv4"],
  ["224.0.0.0", 3, "ipv4"],
]);

/**
 * Public unicast IPv6 is 2000::/3 alone, without what in it serves protocols, documentation or tunnels into IPv4; so
 * the ways to embed an IPv4 address need no names here.
 */
const PRIVATE_IPV6 = blockList([
  ["::", 3, "ipv6"],
  ["4000::", 2, "ipv6"],
  ["8000::", 1, "ipv6"],
  ["2001::", 23, "ipv6"],
  ["2001:db8::", 32, "ipv6"],
  ["2002::", 16, "ipv6"],
  ["3fff::", 20, "ipv6"],
]);
const IPV4_MAPPED = blockList([["::ffff:0:0", 96, "ipv6"]]);

/** What is never called, what is called only where that is allowed, and the rest. */
export type AddressKind = "link-local" | "metadata" | "private" | "public";

/** Of an IP address, with or without a zone. IPv4-mapped IPv6 counts as the IPv4 it maps; no address is private. */
export const addressKind = (address: string): AddressKind => {
  const [plain = ""] = address.split("%");
  const version = isIP(plain);
  if (version === 0) return "private";
  const family = version === 6 ? "ipv6" : "ipv4";
  if (LINK_LOCAL.check(plain, family)) return "link-local";
  if (METADATA.check(plain, family)) return "metadata";
  if (PRIVATE.check(plain, family)) return "private";
  const isPlainIpv6 = version === 6 && !IPV4_MAPPED.check(plain, family);
  return isPlainIpv6 && PRIVATE_IPV6.check(plain, family) ? "private" : "public";
};

/** The host of a URL if it is an address itself: Node looks up names only, so it must be checked apart. */
export const literalAddress = (url: URL): string | null => {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  return isIP(host) === 0 ? null : host;
};
