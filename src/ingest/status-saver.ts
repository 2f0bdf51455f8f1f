import type { SourceId } from "../../schemas/common.ts";
import type { Clock } from "../ports/clock.ts";
import type { Sources } from "../ports/control-store.ts";
import type { Logger } from "../ports/telemetry.ts";
import type { RejectionLog } from "./rejection-log.ts";
import type { SourceLedger } from "./source-ledger.ts";

const SAVE_EVERY_MS = 1_000;

/** A source's ledger and rejections, to be saved under its id. */
export interface Saved {
  readonly ledger: SourceLedger;
  readonly rejections: RejectionLog;
}

export interface StatusSaverOptions {
  readonly sources: Sources;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called once a second, before saving. */
  readonly tick: () => void;
}

/** Saves what has changed of the sources' statuses and rejections, once a second and when asked. */
export class StatusSaver {
  readonly #options: StatusSaverOptions;
  readonly #watched = new Map<SourceId, Saved>();
  readonly #stopTicking: () => void;
  #task: Promise<void> | null = null;

  constructor(options: StatusSaverOptions) {
    this.#options = options;
    this.#stopTicking = options.clock.every(SAVE_EVERY_MS, () => {
      options.tick();
      // A round that takes longer than a second is not joined by another: the next tick saves what is newest then.
      this.#task ??= this.#saveAll().finally(() => {
        this.#task = null;
      });
    });
  }

  watch(id: SourceId, saved: Saved): void {
    this.#watched.set(id, saved);
  }

  /** Saves it a last time. */
  async forget(id: SourceId): Promise<void> {
    const saved = this.#watched.get(id);
    this.#watched.delete(id);
    await this.#task;
    if (saved !== undefined) await this.#save(id, saved);
  }

  async stop(): Promise<void> {
    this.#stopTicking();
    await this.#task;
    await this.#saveAll();
  }

  ledgers(): Iterable<Saved> {
    return this.#watched.values();
  }

  async #saveAll(): Promise<void> {
    for (const [id, saved] of [...this.#watched]) await this.#save(id, saved);
  }

  async #save(id: SourceId, { ledger, rejections }: Saved): Promise<void> {
    ledger.tellMetrics();
    const status = ledger.takeChange();
    const kept = rejections.take();
    try {
      if (status !== null) await this.#options.sources.saveStatus(id, status);
      if (kept.length > 0) await this.#options.sources.addRejections(id, kept);
    } catch (error) {
      ledger.notSaved();
      rejections.restore(kept);
      this.#options.logger.warn({ sourceId: id, error: String(error) }, "ingest_status_not_saved");
    }
  }
}
