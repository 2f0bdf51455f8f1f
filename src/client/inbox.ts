import type { SignalServiceEvent } from "../../schemas/event.ts";
import type { LiveReading } from "../../schemas/stream.ts";

export type LiveMessage =
  | { readonly type: "readings"; readonly readings: readonly LiveReading[] }
  | { readonly type: "event"; readonly event: SignalServiceEvent };

/** Events that wait for their reader; beyond it the connection is given up, and taken up again where it ended. */
const EVENTS_MAX = 10_000;

/** What has come and was not read yet: every event in order, and of each signal the newest reading. */
export class Inbox {
  readonly #events: SignalServiceEvent[] = [];
  readonly #readings = new Map<string, LiveReading>();
  #end: { readonly error: unknown } | null = null;
  #wake = Promise.withResolvers<void>();

  get isFull(): boolean {
    return this.#events.length >= EVENTS_MAX;
  }

  add(message: LiveMessage): void {
    if (message.type === "event") this.#events.push(message.event);
    else for (const reading of message.readings) this.#readings.set(reading.signalId, reading);
    this.#wake.resolve();
  }

  /** Nothing more comes: what is there is still read, then the reader ends, or throws `error` unless it is null. */
  end(error: unknown): void {
    this.#end ??= { error };
    this.#wake.resolve();
  }

  async *read(): AsyncGenerator<LiveMessage> {
    for (;;) {
      for (const event of this.#events.splice(0)) yield { type: "event", event };
      if (this.#readings.size > 0) {
        const readings = [...this.#readings.values()];
        this.#readings.clear();
        yield { type: "readings", readings };
      } else if (this.#events.length === 0) {
        if (this.#end !== null) {
          if (this.#end.error !== null) throw this.#end.error;
          return;
        }
        await this.#wake.promise;
        this.#wake = Promise.withResolvers();
      }
    }
  }
}
