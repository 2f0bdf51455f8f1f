import { hash } from "node:crypto";
import type { AlertData } from "../../schemas/alert.ts";
import { type AccountId, AlertId, EventId } from "../../schemas/common.ts";
import { Email } from "../../schemas/email.ts";
import type { EventData } from "../../schemas/event.ts";
import { ulid } from "../../src/domain/ids.ts";
import type { AddressedEvent } from "../../src/domain/records.ts";
import { sampleEvent } from "../../src/domain/webhooks/sample-event.ts";
import { ruleId, signalId } from "./partition.ts";

export const JANE = Email.parse("jane@example.org");
export const OMAR = Email.parse("omar@example.org");

export interface AlertFields {
  /** The nth rule, which is called so unless `alert` says otherwise. */
  readonly rule?: number;
  readonly name?: string;
  readonly alert?: Partial<AlertData>;
  readonly data?: Partial<EventData>;
}

/** Events of alerts of rules that name addresses: each signal has one alert of each rule, that fires again and again. */
export class AlertEvents {
  readonly #accountId: AccountId;
  readonly #emails: readonly Email[];
  readonly #sequences = new Map<number, number>();
  #count = 0;

  constructor(accountId: AccountId, emails: readonly Email[] = [JANE]) {
    this.#accountId = accountId;
    this.#emails = emails;
  }

  firing(n: number, atMs: number, fields: AlertFields = {}): AddressedEvent {
    return this.#event("alert.firing", n, atMs, fields);
  }
  resolved(n: number, atMs: number, fields: AlertFields = {}): AddressedEvent {
    return this.#event("alert.resolved", n, atMs, fields);
  }
  acknowledged(n: number, atMs: number): AddressedEvent {
    return this.#event("alert.acknowledged", n, atMs, {});
  }

  alertId(n: number, rule = 1): AlertId {
    return AlertId.parse(`alr_${ulid(0, hash("sha256", `${this.#accountId} ${n} ${rule}`, "buffer"))}`);
  }

  #event(
    kind: "alert.firing" | "alert.resolved" | "alert.acknowledged",
    n: number,
    atMs: number,
    { rule = 1, name = `signal ${n}`, alert, data }: AlertFields,
  ): AddressedEvent {
    const id = EventId.parse(`evt_${ulid(atMs, hash("sha256", `${n} ${this.#count++}`, "buffer"))}`);
    const sequence = (this.#sequences.get(n) ?? 0) + 1;
    this.#sequences.set(n, sequence);
    const sample = sampleEvent(kind, id, atMs);
    if (sample.data.signal === undefined || sample.data.alert === undefined) throw new Error("no alert");
    const signal = { ...sample.data.signal, id: signalId(n), name, externalId: `x-${n}`, sequence };
    const own = {
      ...sample.data.alert,
      id: this.alertId(n, rule),
      ruleId: ruleId(rule),
      ruleName: `rule ${rule}`,
      notify: { emails: [...this.#emails] },
      ...alert,
    };
    const event = { ...sample, sequence, data: { ...sample.data, signal, alert: own, ...data } };
    return { accountId: this.#accountId, signalId: signalId(n), event };
  }
}
