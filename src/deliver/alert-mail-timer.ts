import { PUBLIC_URL_FACT } from "../domain/public-url.ts";
import type { Entropy } from "../ports/clock.ts";
import type { ControlStore } from "../ports/control-store.ts";
import { flushAlertMails } from "./alert-mail-flush.ts";
import type { AlertMailHealth } from "./alert-mail-health.ts";
import type { DeliverMetrics } from "./metrics.ts";
import { PartitionRounds, type RoundsOptions } from "./partition-rounds.ts";
import type { Retrying } from "./retrying.ts";

const LOOK_EVERY_MS = 1_000;
/** Told in one transaction; it is to be a short one. */
const FLUSH_MAX = 10;

export interface AlertMailTimerOptions extends RoundsOptions {
  readonly control: Pick<ControlStore, "transaction" | "alertMails" | "facts">;
  readonly entropy: Entropy;
  readonly metrics: DeliverMetrics;
  readonly health: AlertMailHealth;
  readonly retrying: Retrying;
}

/** Looks for e-mails of alerts that are due, for as long as the partition of topic `events` is this process's. */
export class AlertMailTimer {
  readonly #options: AlertMailTimerOptions;
  readonly #rounds: PartitionRounds;

  constructor(options: AlertMailTimerOptions) {
    this.#options = options;
    this.#rounds = new PartitionRounds(options, LOOK_EVERY_MS, () => this.#tellDue());
  }

  /** To be called once the assignment's signal has aborted. */
  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  async #tellDue(): Promise<void> {
    const { control, clock, health, retrying, assignment } = this.#options;
    const { signal } = assignment;
    const isDue = async () => (await control.alertMails.due(clock.now(), 1)).length > 0;
    while (!signal.aborted && (await retrying(isDue, signal))) {
      const publicUrl = await retrying(() => control.facts.get(PUBLIC_URL_FACT), signal);
      health.nowhere(publicUrl === null);
      if (publicUrl === null) return;
      await this.#tell(publicUrl);
    }
  }

  async #tell(publicUrl: string): Promise<void> {
    const { control, clock, entropy, metrics, health, retrying, assignment } = this.#options;
    const flush = () =>
      control.transaction((within) =>
        flushAlertMails(within, { entropy, publicUrl, nowMs: clock.now() }, FLUSH_MAX),
      );
    const flushed = await retrying(flush, assignment.signal);
    health.told(flushed);
    for (const one of flushed) {
      if (one.kind === "waits") metrics.alertMailWaits.add(1, { limit: one.limit });
      else for (const of of one.mails) metrics.alertMails.add(1, { of });
    }
  }
}
