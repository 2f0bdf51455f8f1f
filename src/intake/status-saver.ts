import type { SourceId } from "../../schemas/common.ts";
import type { SourceState } from "../../schemas/source.ts";
import type { Clock } from "../ports/clock.ts";
import type { SourceStatus, Sources } from "../ports/control-store.ts";
import type { Logger } from "../ports/telemetry.ts";
import type { RejectionLog } from "./rejection-log.ts";

const LOOK_EVERY_MS = 100;
/** A source's status is not saved again sooner than this: what changes seldom is seen at once, a stream once a second. */
const SAVE_EVERY_MS = 1_000;

/** What is known of a source and changes while it runs. */
export interface SavedLedger {
  readonly state: SourceState;
  tellMetrics(): void;
  /** What is to be saved; given back by `notSaved` if that fails. */
  takeChange(): SourceStatus | null;
  notSaved(status: SourceStatus): void;
}

/** A source's ledger and rejections, to be saved under its id. */
export interface Saved {
  readonly ledger: SavedLedger;
  readonly rejections: RejectionLog;
}
interface Watched extends Saved {
  savedAt: number;
}

export interface StatusSaverOptions {
  readonly sources: Pick<Sources, "addRejections"> & {
    saveStatus(id: SourceId, status: SourceStatus): Promise<void>;
  };
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called before each look, ten times a second. */
  readonly tick: () => void;
}

/** Saves what has changed of the sources' statuses and rejections. */
export class StatusSaver {
  readonly #options: StatusSaverOptions;
  readonly #watched = new Map<SourceId, Watched>();
  readonly #stopTicking: () => void;
  #task: Promise<void> | null = null;

  constructor(options: StatusSaverOptions) {
    this.#options = options;
    this.#stopTicking = options.clock.every(LOOK_EVERY_MS, () => {
      options.tick();
      // A round that takes longer is not joined by another: the next one saves what is newest then.
      this.#task ??= this.#saveDue().finally(() => {
        this.#task = null;
      });
    });
  }

  watch(id: SourceId, saved: Saved): void {
    this.#watched.set(id, { ...saved, savedAt: Number.NEGATIVE_INFINITY });
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

  async #saveDue(): Promise<void> {
    const now = this.#options.clock.monotonic();
    for (const [id, watched] of [...this.#watched]) {
      if (now - watched.savedAt < SAVE_EVERY_MS) continue;
      if (await this.#save(id, watched)) watched.savedAt = now;
    }
  }

  /** False when there was nothing to save. */
  async #save(id: SourceId, { ledger, rejections }: Saved): Promise<boolean> {
    ledger.tellMetrics();
    rejections.tellMetrics();
    const status = ledger.takeChange();
    const kept = rejections.take();
    if (status === null && kept.length === 0) return false;
    try {
      if (status !== null) await this.#options.sources.saveStatus(id, status);
      if (kept.length > 0) await this.#options.sources.addRejections(id, kept);
    } catch (error) {
      if (status !== null) ledger.notSaved(status);
      rejections.restore(kept);
      this.#options.logger.warn({ sourceId: id, error: String(error) }, "ingest_status_not_saved");
    }
    return true;
  }
}
