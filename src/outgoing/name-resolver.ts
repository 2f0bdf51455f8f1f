import type { LookupAddress } from "node:dns";
import { Resolver } from "node:dns/promises";
import { codeOf } from "./attempt-error.ts";
import type { Lookup } from "./guarded-lookup.ts";

const FIRST_TRY_MS = 1_000;
const TRIES = 2;
const ABSENT = new Set(["ENODATA", "ENOTFOUND"]);

const asError = (reason: unknown): Error => (reason instanceof Error ? reason : new Error(String(reason)));

/** What says most of why a name has no address: that it has none in one family is no reason while the other failed. */
const likeliest = (reasons: readonly unknown[]): Error =>
  asError(reasons.find((reason) => !ABSENT.has(codeOf(reason))) ?? reasons[0]);

/**
 * Asks the name servers themselves. The system's way (getaddrinfo) works on two threads of the process: two names whose
 * servers never answer would hold up every other endpoint's. It also knows this machine's own names (/etc/hosts), which
 * are nothing for a webhook.
 */
export class NameResolver {
  readonly #resolver = new Resolver({ timeout: FIRST_TRY_MS, tries: TRIES });

  /** `servers`: `address` or `address:port` each; those of the system unless given. */
  constructor(servers?: readonly string[]) {
    if (servers !== undefined) this.#resolver.setServers(servers);
  }

  readonly lookup: Lookup = (hostname, { family }, callback) => {
    this.#resolve(hostname, family ?? 0).then(
      (addresses) => callback(null, addresses),
      (error: unknown) => callback(asError(error), []),
    );
  };

  /** What is being asked fails with ECANCELLED. */
  close(): void {
    this.#resolver.cancel();
  }

  async #resolve(hostname: string, family: number): Promise<LookupAddress[]> {
    const none = Promise.resolve<string[]>([]);
    const answers = await Promise.allSettled([
      family === 6 ? none : this.#resolver.resolve4(hostname),
      family === 4 ? none : this.#resolver.resolve6(hostname),
    ]);
    const addresses = answers.flatMap((answer, index) =>
      answer.status === "rejected"
        ? []
        : answer.value.map((address) => ({ address, family: index === 0 ? 4 : 6 })),
    );
    const reasons = answers.flatMap((answer) => (answer.status === "rejected" ? [answer.reason] : []));
    if (addresses.length === 0 && reasons.length > 0) throw likeliest(reasons);
    return addresses;
  }
}
