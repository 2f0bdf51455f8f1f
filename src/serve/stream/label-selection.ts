import type { AccountId, Labels } from "../../../schemas/common.ts";
import { LIST_LIMIT_MAX } from "../../../schemas/common.ts";
import type { AddressedEvent } from "../../domain/records.ts";
import type { Signals } from "../../ports/control-store.ts";
import type { EventFeed } from "../event-feed.ts";

interface LabelSelectionOptions {
  readonly accountId: AccountId;
  readonly labels: Labels;
  readonly signals: Signals;
  readonly feed: EventFeed;
  /** Told which signals have come to match. */
  readonly added: (signalIds: readonly string[]) => void;
}

const hasAll = (labels: Labels, wanted: Labels): boolean =>
  Object.entries(wanted).every(([key, value]) => labels[key] === value);

/**
 * The signals that carry labels: looked up once, then kept by the events of signals, which tell every change of
 * labels in order. What an event says while the look-up runs counts more than the look-up.
 */
export class LabelSelection {
  readonly #options: LabelSelectionOptions;
  readonly #members = new Set<string>();
  /** Those of whom an event has told while the look-up runs; null once it is done. */
  #told: Set<string> | null = new Set();
  readonly #unlisten: () => void;
  #isStopped = false;

  constructor(options: LabelSelectionOptions) {
    this.#options = options;
    this.#unlisten = options.feed.listen((events) => this.#learn(events));
  }

  has(signalId: string): boolean {
    return this.#members.has(signalId);
  }

  get ids(): Iterable<string> {
    return this.#members;
  }

  async load(): Promise<void> {
    const { accountId, labels, signals } = this.#options;
    let cursor: string | undefined;
    do {
      const page = await signals.list(accountId, {
        labels,
        sort: "createdAt",
        limit: LIST_LIMIT_MAX,
        cursor,
      });
      for (const { definition } of page.items)
        if (this.#told?.has(definition.id) !== true) this.#members.add(definition.id);
      cursor = page.next ?? undefined;
    } while (cursor !== undefined && !this.#isStopped);
    this.#told = null;
  }

  stop(): void {
    this.#isStopped = true;
    this.#unlisten();
  }

  #learn(events: readonly AddressedEvent[]): void {
    const { accountId, labels, added } = this.#options;
    const fresh: string[] = [];
    for (const { accountId: owner, signalId, event } of events) {
      if (owner !== accountId || signalId === null || event.data.signal === undefined) continue;
      this.#told?.add(signalId);
      const matches = event.event !== "signal.deleted" && hasAll(event.data.signal.labels, labels);
      if (!matches) this.#members.delete(signalId);
      else if (!this.#members.has(signalId)) fresh.push(signalId);
      if (matches) this.#members.add(signalId);
    }
    if (fresh.length > 0) added(fresh);
  }
}
