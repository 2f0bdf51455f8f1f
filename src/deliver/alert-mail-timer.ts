import { PUBLIC_URL_FACT } from "../domain/public-url.ts";
import type { Clock, Entropy } from "../ports/clock.ts";
import type { ControlStore } from "../ports/control-store.ts";
import type { Assignment } from "../ports/event-log.ts";
import { flushAlertMails } from "./alert-mail-flush.ts";
import type { AlertMailHealth } from "./alert-mail-health.ts";
import type { DeliverMetrics } from "./metrics.ts";
import type { Retrying } from "./retrying.ts";

const LOOK_EVERY_MS = 1_000;
/** Told in one transaction; it is to be a short one. */
const FLUSH_MAX = 10;

export interface AlertMailTimerOptions {
  readonly assignment: Pick<Assignment, "signal" | "isHeld">;
  readonly control: Pick<ControlStore, "transaction" | "alertMails" | "facts">;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly metrics: DeliverMetrics;
  readonly health: AlertMailHealth;
  readonly retrying: Retrying;
  /** What happened before the partition was assigned is taken first: it may belong to the e-mails that are due. */
  readonly isCaughtUp: () => boolean;
  readonly failed: (error: unknown) => void;
}

/** Looks for e-mails of alerts that are due, for as long as the partition of topic `events` is this process's. */
export class AlertMailTimer {
  readonly #options: AlertMailTimerOptions;
  readonly #cancel: () => void;
  #task: Promise<void> | null = null;

  constructor(options: AlertMailTimerOptions) {
    this.#options = options;
    this.#cancel = options.clock.every(LOOK_EVERY_MS, () => this.#look());
  }

  /** To be called once the assignment's signal has aborted. */
  async stop(): Promise<void> {
    this.#cancel();
    await this.#task;
  }

  #look(): void {
    const { assignment, isCaughtUp, failed } = this.#options;
    if (this.#task !== null || assignment.signal.aborted || !assignment.isHeld() || !isCaughtUp()) return;
    this.#task = this.#tellDue()
      .catch((error: unknown) => {
        if (!assignment.signal.aborted) failed(error);
      })
      .finally(() => {
        this.#task = null;
      });
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
