import { AccountId, SignalId } from "../../schemas/common.ts";
import type { AddressedEvent } from "../domain/records.ts";
import type { Signals } from "../ports/control-store.ts";
import type { Logger } from "../ports/telemetry.ts";
import type { LiveValues } from "./live-values.ts";

const LOOKUP_IDS = 500;

/**
 * Floor and ceiling of the signals that streams show: looked up when first needed, then kept by the events of the
 * signal. A value that appears later is looked up later, so what control data says is never older than the event.
 */
export class LiveScales {
  readonly #live: LiveValues;
  readonly #signals: Signals;
  readonly #log: Logger;
  readonly #wanted = new Map<string, Set<string>>();
  #running: Promise<void> | null = null;

  constructor(live: LiveValues, signals: Signals, log: Logger) {
    this.#live = live;
    this.#signals = signals;
    this.#log = log;
  }

  /** Looks a scale up; the signal is told as changed once it is known. */
  want(accountId: string, signalId: string): void {
    const ids = this.#wanted.get(accountId) ?? new Set();
    this.#wanted.set(accountId, ids.add(signalId));
    this.#running ??= this.#run();
  }

  /** Events carry the signal as it is from then on. */
  learn(events: readonly AddressedEvent[]): void {
    for (const { accountId, signalId, event } of events) {
      if (signalId === null) continue;
      const { signal } = event.data;
      if (event.event === "signal.deleted") this.#live.remove(accountId, signalId);
      else if (signal !== undefined) this.#live.setScale(accountId, signalId, signal);
    }
  }

  /** Resolves when nothing is being looked up. */
  async stop(): Promise<void> {
    this.#wanted.clear();
    await this.#running;
  }

  async #run(): Promise<void> {
    // Everything wanted in this turn is asked for at once.
    await Promise.resolve();
    for (let next = this.#wanted.entries().next(); !next.done; next = this.#wanted.entries().next()) {
      const [accountId, wanted] = next.value;
      const ids = [...wanted].slice(0, LOOKUP_IDS);
      for (const id of ids) wanted.delete(id);
      if (wanted.size === 0) this.#wanted.delete(accountId);
      try {
        await this.#lookUp(accountId, ids);
      } catch (err) {
        this.#log.warn({ count: ids.length, err }, "scale_unknown");
      }
    }
    this.#running = null;
  }

  async #lookUp(accountId: string, ids: readonly string[]): Promise<void> {
    const valid = ids.flatMap((id) => SignalId.safeParse(id).data ?? []);
    const definitions = await this.#signals.existing(AccountId.parse(accountId), valid);
    const known = new Map(definitions.map((definition) => [String(definition.id), definition]));
    for (const id of ids) {
      const definition = known.get(id);
      if (definition === undefined) this.#live.remove(accountId, id);
      else if (this.#live.get(accountId, id)?.scale === null) this.#live.setScale(accountId, id, definition);
    }
    this.#live.tell(accountId, [...known.keys()]);
  }
}
