import { addressKind, literalAddress } from "../outgoing/address-kind.ts";
import { guardedLookup as guarded, type Lookup, type SocketLookup } from "../outgoing/guarded-lookup.ts";

export { type Lookup, literalAddress };

/** Why a source may not be at an address, in words; null if it may. */
export const addressProblem = (address: string, allowPrivate: boolean): string | null => {
  const kind = addressKind(address);
  if (kind === "link-local") return `${address} is link-local, and never a source`;
  if (kind === "metadata") return `${address} is where a cloud keeps its secrets, and never a source`;
  if (kind === "private" && !allowPrivate) {
    return `${address} is on a private network (SOURCES_ALLOW_PRIVATE=false)`;
  }
  return null;
};

/** Which address a name leads to is nothing for those who may not call it: they could map a private network by it. */
const resolvedProblem = (address: string, allowPrivate: boolean): string | null => {
  const problem = addressProblem(address, allowPrivate);
  if (problem === null || allowPrivate) return problem;
  return "its name leads into a private network (SOURCES_ALLOW_PRIVATE=false)";
};

/** The `lookup` of a socket to a source. */
export const guardedLookup = (allowPrivate: boolean, lookup?: Lookup): SocketLookup =>
  guarded((address) => resolvedProblem(address, allowPrivate), lookup);
