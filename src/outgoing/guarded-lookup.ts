import { type LookupAddress, lookup as systemLookup } from "node:dns";

export class AddressRefusedError extends Error {
  override readonly name = "AddressRefusedError";
}

export type Lookup = (
  hostname: string,
  options: { family?: number | undefined; hints?: number | undefined; all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** What Node asks of the `lookup` of a socket. */
export type SocketLookup = (
  hostname: string,
  options: { family?: unknown; hints?: number | undefined; all?: boolean | undefined },
  callback: (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void,
) => void;

/**
 * The `lookup` of a socket: it connects only to addresses that were checked here, and to none if any is refused.
 * `problemOf` says why an address may not be called, in words; null if it may.
 */
export const guardedLookup =
  (problemOf: (address: string) => string | null, lookup: Lookup = systemLookup): SocketLookup =>
  (hostname, options, callback) => {
    const family = options.family === 4 || options.family === 6 ? options.family : 0;
    lookup(hostname, { family, hints: options.hints, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, []);
      for (const { address } of addresses) {
        const problem = problemOf(address);
        if (problem !== null) return callback(new AddressRefusedError(problem), []);
      }
      const [first] = addresses;
      if (first === undefined) callback(new Error(`${hostname} has no address`), []);
      else if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
