import type { Clock, Entropy } from "../../ports/clock.ts";
import type { StoredApiKey } from "../../ports/control-store.ts";

const TICKET_TTL_MS = 30_000;
const TICKETS_MAX = 10_000;

/** Single-use tickets for streams, good for 30 s in this process: browsers cannot send headers with a WebSocket. */
export class StreamTickets {
  readonly #clock: Clock;
  readonly #entropy: Entropy;
  readonly #tickets = new Map<string, { key: StoredApiKey; until: number }>();

  constructor(clock: Clock, entropy: Entropy) {
    this.#clock = clock;
    this.#entropy = entropy;
  }

  issue(key: StoredApiKey): { ticket: string; expiresAtMs: number } {
    for (const [ticket, { until }] of this.#tickets) {
      if (until > this.#clock.monotonic() && this.#tickets.size < TICKETS_MAX) break;
      this.#tickets.delete(ticket);
    }
    const ticket = `tkt_${Buffer.from(this.#entropy.bytes(24)).toString("base64url")}`;
    this.#tickets.set(ticket, { key, until: this.#clock.monotonic() + TICKET_TTL_MS });
    return { ticket, expiresAtMs: this.#clock.now() + TICKET_TTL_MS };
  }

  /** The key that a ticket stands for, once. */
  redeem(ticket: string): StoredApiKey | null {
    const found = this.#tickets.get(ticket);
    this.#tickets.delete(ticket);
    return found !== undefined && found.until > this.#clock.monotonic() ? found.key : null;
  }
}
