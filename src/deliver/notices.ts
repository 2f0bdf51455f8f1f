import { eventRecord } from "../domain/records.ts";
import type { EventLog } from "../ports/event-log.ts";
import type { Webhooks } from "../ports/webhooks.ts";
import type { Retrying } from "./retrying.ts";

const PAGE = 100;

export interface NoticesOptions {
  readonly log: Pick<EventLog, "append">;
  readonly webhooks: Pick<Webhooks, "notices" | "told">;
  readonly retrying: Retrying;
  readonly failed: (error: unknown) => void;
}

/** Appends events about webhooks to topic `events`, each at least once: first to the log, then it counts as told. */
export class Notices {
  readonly #options: NoticesOptions;
  readonly #stop = new AbortController();
  #task: Promise<void> | null = null;
  #again = false;

  constructor(options: NoticesOptions) {
    this.#options = options;
  }

  /** There may be some. */
  tell(): void {
    if (this.#stop.signal.aborted) return;
    this.#again = true;
    this.#task ??= this.#tellAll()
      .catch((error: unknown) => {
        if (!this.#stop.signal.aborted) this.#options.failed(error);
      })
      .finally(() => {
        this.#task = null;
      });
  }

  /** What is not told is told by whoever comes next. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error("the worker stops"));
    await this.#task;
  }

  async #tellAll(): Promise<void> {
    const { log, webhooks, retrying } = this.#options;
    const { signal } = this.#stop;
    while (this.#again) {
      this.#again = false;
      const notices = await retrying(() => webhooks.notices(PAGE), signal);
      if (notices.length === 0) continue;
      await retrying(() => log.append("events", notices.map(eventRecord)), signal);
      await retrying(() => webhooks.told(notices.map(({ event }) => event.id)), signal);
      this.#again = true;
    }
  }
}
