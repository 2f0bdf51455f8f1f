import type { WebhookId } from "../../schemas/common.ts";
import type { ControlStore } from "../ports/control-store.ts";
import type { Dispatcher } from "./dispatcher.ts";
import { flushGroups } from "./group-flush.ts";
import type { DeliverMetrics } from "./metrics.ts";
import { PartitionRounds, type RoundsOptions } from "./partition-rounds.ts";
import type { Retrying } from "./retrying.ts";
import type { WebhookBook } from "./webhook-book.ts";

const LOOK_EVERY_MS = 250;
/** Told in one transaction; it is to be a short one. */
const FLUSH_MAX = 20;
/** Clocks of several machines differ by less. */
const LEFT_MS = 60_000;

export interface GroupTimerOptions extends RoundsOptions {
  readonly control: Pick<ControlStore, "transaction" | "webhookGroups">;
  readonly book: WebhookBook;
  readonly dispatcher: Pick<Dispatcher, "changed" | "late"> | null;
  readonly metrics: DeliverMetrics;
  readonly retrying: Retrying;
}

/** Looks for groups that are due, for as long as the partition of topic `events` is this process's. */
export class GroupTimer {
  readonly #options: GroupTimerOptions;
  readonly #rounds: PartitionRounds;
  /** Until then there may be groups though no webhook asks for them any more: their last word is due. */
  #leftUntilMs = 0;

  constructor(options: GroupTimerOptions) {
    this.#options = options;
    this.#rounds = new PartitionRounds(options, LOOK_EVERY_MS, () => this.#flush());
  }

  /** To be called once the assignment's signal has aborted. */
  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  #mayBeSome(): boolean {
    const { book, clock } = this.#options;
    if (book.hasGroups || !book.isRead) this.#leftUntilMs = clock.monotonic() + LEFT_MS;
    return clock.monotonic() < this.#leftUntilMs;
  }

  async #flush(): Promise<void> {
    if (!this.#mayBeSome()) return;
    const { control, clock, retrying, assignment } = this.#options;
    const due = await retrying(() => control.webhookGroups.due(clock.now(), FLUSH_MAX), assignment.signal);
    if (due.length > 0) await this.#tell(due.map(({ webhookId }) => webhookId));
  }

  async #tell(webhookIds: readonly WebhookId[]): Promise<void> {
    const { control, book, dispatcher, clock, metrics, retrying, assignment } = this.#options;
    const flush = () =>
      control.transaction(async (within) => {
        await book.refresh(within);
        return flushGroups(within, book, clock.now(), FLUSH_MAX);
      });
    const flushed = await retrying(flush, assignment.signal);
    dispatcher?.changed();
    const told = flushed.flatMap((one) => (one.told === null ? [] : [one.told]));
    metrics.deliveries.add(told.length);
    for (const { event } of told) metrics.groups.add(1, { event: event.kind });
    // Those that are missing were flushed by a transaction whose answer was lost.
    const missing = new Set(webhookIds);
    for (const { webhookId, position } of flushed) {
      missing.delete(webhookId);
      if (position !== null) dispatcher?.late(webhookId, position);
    }
    for (const id of missing) dispatcher?.late(id, 0);
  }
}
