import { hash } from "node:crypto";
import { type AccountId, EventId, type SourceId } from "../../schemas/common.ts";
import type { Severity } from "../../schemas/condition.ts";
import type { EventData, EventKind } from "../../schemas/event.ts";
import { ulid } from "../../src/domain/ids.ts";
import type { AddressedEvent } from "../../src/domain/records.ts";
import { sampleEvent } from "../../src/domain/webhooks/sample-event.ts";
import { signalId } from "./partition.ts";

/** Events of a source's signals, each with an id of its own and the next sequence of its signal. */
export class SourceEvents {
  readonly #accountId: AccountId;
  readonly #sourceId: SourceId | null;
  readonly #sequences = new Map<number, number>();
  #count = 0;

  constructor(accountId: AccountId, sourceId: SourceId | null) {
    this.#accountId = accountId;
    this.#sourceId = sourceId;
  }

  failed(n: number, atMs: number): AddressedEvent {
    return this.#event("signal.failed", n, atMs);
  }
  recovered(n: number, atMs: number): AddressedEvent {
    return this.#event("signal.updated", n, atMs);
  }
  renamed(n: number, atMs: number): AddressedEvent {
    return this.#event("signal.updated", n, atMs, { previous: { name: "old" } });
  }
  deleted(n: number, atMs: number): AddressedEvent {
    return this.#event("signal.deleted", n, atMs);
  }
  firing(n: number, atMs: number, severity: Severity = "warning"): AddressedEvent {
    return this.#alert("alert.firing", n, atMs, severity);
  }
  resolved(n: number, atMs: number, severity: Severity = "warning"): AddressedEvent {
    return this.#alert("alert.resolved", n, atMs, severity);
  }

  /** Each signal has one alert. */
  #alert(kind: EventKind, n: number, atMs: number, severity: Severity): AddressedEvent {
    const made = this.#event(kind, n, atMs);
    const { alert } = made.event.data;
    if (alert === undefined) throw new Error("no alert");
    const data = { ...made.event.data, alert: { ...alert, severity } };
    return { ...made, event: { ...made.event, data } };
  }

  #event(kind: EventKind, n: number, atMs: number, data: EventData = {}): AddressedEvent {
    const name = `${this.#sourceId} ${this.#count++}`;
    const id = EventId.parse(`evt_${ulid(atMs, hash("sha256", name, "buffer"))}`);
    const sequence = (this.#sequences.get(n) ?? 0) + 1;
    this.#sequences.set(n, sequence);
    const sample = sampleEvent(kind, id, atMs);
    if (sample.data.signal === undefined) throw new Error("no signal");
    const own = { id: signalId(n), name: `signal ${n}`, externalId: `x-${n}`, sourceId: this.#sourceId };
    const signal = { ...sample.data.signal, ...own, sequence };
    return {
      accountId: this.#accountId,
      signalId: signalId(n),
      event: { ...sample, sequence, data: { ...sample.data, ...data, signal } },
    };
  }
}
