import { type LookupAddress, lookup as systemLookup } from "node:dns";
import { BlockList, isIP } from "node:net";

type Subnet = readonly [network: string, prefix: number, family: "ipv4" | "ipv6"];

const blockList = (subnets: readonly Subnet[]): BlockList => {
  const list = new BlockList();
  for (const [network, prefix, family] of subnets) list.addSubnet(network, prefix, family);
  return list;
};

/** Link-local, in every way to write it: IPv4-compatible, NAT64 (RFC 6052), and the metadata address of one cloud. */
const NEVER = blockList([
  ["169.254.0.0", 16, "ipv4"],
  ["fe80::", 10, "ipv6"],
  ["::a9fe:0", 112, "ipv6"],
  ["64:ff9b::a9fe:0", 112, "ipv6"],
  ["fd00:ec2::254", 128, "ipv6"],
]);

/** All that is not public unicast: the special-purpose registries of IANA (RFC 6890). */
const PRIVATE = blockList([
  ["0.0.0.0", 8, "ipv4"],
  ["10.0.0.0", 8, "ipv4"],
  ["100.64.0.0", 10, "ipv4"],
  ["127.0.0.0", 8, "ipv4"],
  ["172.16.0.0", 12, "ipv4"],
  ["192.0.0.0", 24, "ipv4"],
  ["192.0.2.0", 24, "ipv4"],
  ["192.168.0.0", 16, "ipv4"],
  ["198.18.0.0", 15, "ipv4"],
  ["198.51.100.0", 24, "ipv4"],
  ["203.0.113.0", 24, "ipv4"],
  ["224.0.0.0", 3, "ipv4"],
  ["::", 96, "ipv6"],
  ["64:ff9b::", 96, "ipv6"],
  ["64:ff9b:1::", 48, "ipv6"],
  ["100::", 64, "ipv6"],
  ["2001:db8::", 32, "ipv6"],
  ["2002::", 16, "ipv6"],
  ["fc00::", 7, "ipv6"],
  ["ff00::", 8, "ipv6"],
]);

/** Why a source may not be at an address, in words; null if it may. IPv4-mapped IPv6 counts as the IPv4 it maps. */
export const addressProblem = (address: string, allowPrivate: boolean): string | null => {
  const [plain = ""] = address.split("%");
  const family = isIP(plain) === 6 ? "ipv6" : "ipv4";
  if (NEVER.check(plain, family)) return `${address} is link-local, and never a source`;
  if (!allowPrivate && PRIVATE.check(plain, family)) {
    return `${address} is on a private network (SOURCES_ALLOW_PRIVATE=false)`;
  }
  return null;
};

/** The host of a URL if it is an address itself: Node looks up names only, so it must be checked apart. */
export const literalAddress = (url: URL): string | null => {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  return isIP(host) === 0 ? null : host;
};

export class AddressRefusedError extends Error {
  override readonly name = "AddressRefusedError";
}

export type Lookup = (
  hostname: string,
  options: { family?: number | undefined; hints?: number | undefined; all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** The `lookup` of a socket: it connects only to addresses that were checked here, and to none if any is refused. */
export const guardedLookup =
  (allowPrivate: boolean, lookup: Lookup = systemLookup) =>
  (
    hostname: string,
    options: { family?: unknown; hints?: number | undefined; all?: boolean | undefined },
    callback: (
      error: NodeJS.ErrnoException | null,
      address: string | LookupAddress[],
      family?: number,
    ) => void,
  ): void => {
    const family = options.family === 4 || options.family === 6 ? options.family : 0;
    lookup(hostname, { family, hints: options.hints, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, []);
      for (const { address } of addresses) {
        const problem = addressProblem(address, allowPrivate);
        if (problem !== null) return callback(new AddressRefusedError(problem), []);
      }
      const [first] = addresses;
      if (options.all === true) callback(null, addresses);
      else if (first === undefined) callback(new Error(`${hostname} has no address`), []);
      else callback(null, first.address, first.family);
    });
  };
