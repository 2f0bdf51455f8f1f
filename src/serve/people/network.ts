import ipaddr from "ipaddr.js";

/** What one customer of a provider has: an IPv4 address, or the first half of an IPv6 one. */
const IPV6_BITS = 64;

/** By which attempts from somewhere are counted. */
export const networkOf = (address: string): string => {
  // The name of an interface may follow: fe80::1%eth0.
  const [plain = ""] = address.split("%");
  if (!ipaddr.isValid(plain)) return address;
  const parsed = ipaddr.process(plain);
  return parsed instanceof ipaddr.IPv6
    ? ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/${IPV6_BITS}`).toString()
    : parsed.toString();
};
