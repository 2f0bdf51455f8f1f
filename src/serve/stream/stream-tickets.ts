import { createHash } from "node:crypto";
import type { Clock, Entropy } from "../../ports/clock.ts";
import type { StoredApiKey, Tickets } from "../../ports/control-store.ts";

const TICKET_TTL_MS = 30_000;
const TICKET = /^tkt_[A-Za-z0-9_-]{32}$/;

const hashOf = (ticket: string): Uint8Array => createHash("sha256").update(ticket).digest();

/** Single-use tickets for streams, good for 30 s at every process: browsers cannot send headers with a WebSocket. */
export class StreamTickets {
  readonly #tickets: Tickets;
  readonly #clock: Clock;
  readonly #entropy: Entropy;

  constructor(tickets: Tickets, clock: Clock, entropy: Entropy) {
    this.#tickets = tickets;
    this.#clock = clock;
    this.#entropy = entropy;
  }

  async issue(key: StoredApiKey): Promise<{ ticket: string; expiresAtMs: number }> {
    const ticket = `tkt_${Buffer.from(this.#entropy.bytes(24)).toString("base64url")}`;
    const expiresAtMs = this.#clock.now() + TICKET_TTL_MS;
    await this.#tickets.add(hashOf(ticket), key.id, expiresAtMs);
    return { ticket, expiresAtMs };
  }

  /** The key that a ticket stands for, once. */
  async redeem(ticket: string): Promise<StoredApiKey | null> {
    return TICKET.test(ticket) ? await this.#tickets.redeem(hashOf(ticket)) : null;
  }
}
