import { createHash } from "node:crypto";
import type { Clock, Entropy } from "../../ports/clock.ts";
import type { Ticketed, Tickets } from "../../ports/control-store.ts";
import { UnknownCallers } from "../unknown-callers.ts";

const TICKET_TTL_MS = 30_000;
const TICKET = /^tkt_[A-Za-z0-9_-]{32}$/;

const hashOf = (ticket: string): Uint8Array => createHash("sha256").update(ticket).digest();

/** Single-use tickets for streams, good for 30 s at every process: browsers cannot send headers with a WebSocket. */
export class StreamTickets {
  readonly #tickets: Tickets;
  readonly #clock: Clock;
  readonly #entropy: Entropy;
  readonly #callers: UnknownCallers;

  constructor(tickets: Tickets, clock: Clock, entropy: Entropy, callers = new UnknownCallers()) {
    this.#callers = callers;
    this.#tickets = tickets;
    this.#clock = clock;
    this.#entropy = entropy;
  }

  async issue({ id, endsAt }: Ticketed): Promise<{ ticket: string; expiresAtMs: number }> {
    const ticket = `tkt_${Buffer.from(this.#entropy.bytes(24)).toString("base64url")}`;
    const expiresAtMs = Math.min(this.#clock.now() + TICKET_TTL_MS, endsAt ?? Number.POSITIVE_INFINITY);
    await this.#tickets.add(hashOf(ticket), { id, endsAt }, expiresAtMs);
    return { ticket, expiresAtMs };
  }

  /** Whom a ticket stands for, once. `peer`: whose look-ups in vain are counted. */
  async redeem(ticket: string, peer: string): Promise<Ticketed | null> {
    if (!TICKET.test(ticket)) return null;
    return this.#callers.lookUp(peer, () => this.#tickets.redeem(hashOf(ticket)));
  }
}
