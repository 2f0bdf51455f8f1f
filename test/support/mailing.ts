import type { Email } from "../../schemas/email.ts";
import { PUBLIC_URL_FACT } from "../../src/domain/public-url.ts";
import { type AddressedEvent, eventRecord } from "../../src/domain/records.ts";
import type { ControlStore } from "../../src/ports/control-store.ts";
import type { Mailer } from "../../src/ports/mail.ts";
import { AlertEvents } from "./alert-events.ts";
import { ManualClock } from "./clock.ts";
import { Delivering } from "./deliver.ts";

export const PUBLIC_URL = "https://signals.example.org";
type Sent = Parameters<Mailer["send"]>[0] & { readonly at: number };

/** Deliver workers whose e-mails are kept as they leave, on control data that knows where people reach the service. */
export class Mailing {
  readonly own: Delivering;
  readonly events: AlertEvents;
  readonly sent: Sent[] = [];
  #count = 0;

  private constructor(own: Delivering) {
    this.own = own;
    this.events = new AlertEvents(own.account);
  }

  static async open(clock = new ManualClock(), control?: ControlStore): Promise<Mailing> {
    const own = await Delivering.open(clock, control);
    await own.control.facts.set(PUBLIC_URL_FACT, PUBLIC_URL);
    return new Mailing(own);
  }

  get now(): number {
    return this.own.clock.now();
  }

  /** Gives what stops it. */
  start(): Promise<() => Promise<void>> {
    const mailer: Mailer = {
      name: "a test",
      send: async (mail) => {
        this.sent.push({ ...mail, at: this.now });
      },
      close: () => undefined,
    };
    return this.own.start({ mailer });
  }

  async append(...events: readonly AddressedEvent[]): Promise<void> {
    await this.own.log.append("events", events.map(eventRecord));
    this.#count += events.length;
  }
  /** Appends events, and waits until they have been taken. */
  async happen(...events: readonly AddressedEvent[]): Promise<void> {
    await this.append(...events);
    await this.taken();
  }
  taken(): Promise<unknown> {
    const { own } = this;
    return own.passing(
      "the events to be taken",
      async () => (await own.log.committed("deliver", "events")).get(0) === this.#count,
    );
  }

  firing(...signals: readonly number[]): Promise<void> {
    return this.happen(...signals.map((n) => this.events.firing(n, this.now)));
  }
  resolved(...signals: readonly number[]): Promise<void> {
    return this.happen(...signals.map((n) => this.events.resolved(n, this.now)));
  }

  /** Lets time pass, and waits until all that is due by then has been sent, and there are so many. */
  async arrived(count: number, afterMs = 0): Promise<void> {
    this.own.clock.advance(afterMs);
    await this.own.passing(`${count} e-mails`, () => this.sent.length >= count);
  }

  /** Until nothing waits, and nothing was sent that is not expected. */
  async settled(): Promise<void> {
    const { control, clock } = this.own;
    await this.own.passing("all that is due to be sent", async () => {
      const due = await control.alertMails.due(clock.now(), 1);
      return due.length === 0 && (await control.mails.waiting()) === 0;
    });
  }

  to(address: Email): Sent[] {
    return this.sent.filter(({ to }) => to === address);
  }
  subjects(address?: Email): string[] {
    return (address === undefined ? this.sent : this.to(address)).map(({ subject }) => subject);
  }

  /** The number in a metric's line. */
  async metric(line: string): Promise<number> {
    const { text } = await this.own.telemetry.metrics.expose();
    const found = text.split("\n").find((one) => one.startsWith(`${line} `));
    if (found === undefined) throw new Error(`no metric ${line}`);
    return Number(found.slice(line.length + 1));
  }
}
