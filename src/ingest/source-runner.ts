import type { SourceId } from "../../schemas/common.ts";
import { ENGINE, fullJitterMs } from "../domain/backoff.ts";
import { RejectionLog } from "../intake/rejection-log.ts";
import { SourceLedger } from "../intake/source-ledger.ts";
import type { StoredSource } from "../ports/control-store.ts";
import type { IngestContext } from "./context.ts";
import { RunningSource, type SavedSource } from "./running-source.ts";
import type { SourceLease } from "./source-lease.ts";

/** Why a source is let go: told as the reason of `source.disconnected`, or to nobody when it goes on elsewhere. */
export type Release = "deleted" | "moved" | "shutdown";

/** Keeps one source as control data says it should be: started, started anew with newer settings, disabled, gone. */
export class SourceRunner {
  readonly #context: IngestContext;
  readonly #lease: SourceLease;
  readonly #id: SourceId;
  readonly #released = new AbortController();
  readonly #stopLooking: () => void;
  #wanted: number;
  #applied = 0;
  #saved: SavedSource | null = null;
  #running: RunningSource | null = null;
  #applying = false;
  #task: Promise<void> = Promise.resolve();

  constructor(context: IngestContext, lease: SourceLease, id: SourceId, revision: number) {
    this.#context = context;
    this.#lease = lease;
    this.#id = id;
    this.#wanted = revision;
    context.announcer.started(id, () => lease.isHeld);
    this.#stopLooking = lease.onHeld(() => context.announcer.look());
    this.#start();
  }

  /** There is a revision of its settings; one that is not newer is ignored. */
  want(revision: number): void {
    this.#wanted = Math.max(this.#wanted, revision);
    this.#start();
  }

  async release(release: Release): Promise<void> {
    this.#released.abort();
    await this.#task;
    if (this.#lease.isLost) this.#tellLost();
    await this.#running?.stop(release === "deleted" ? "the source was deleted" : null);
    this.#running = null;
    this.#stopLooking();
    await this.#lastWord(release);
    // A worker that stops saves all sources at its very end, when its last blocks are accepted.
    if (release === "shutdown") return;
    await this.#context.saver.forget(this.#id);
    this.#context.claims.drop(this.#id);
  }

  /** While nobody else has the source: what is said of it later could undo what its next runner says. */
  async #lastWord(release: Release): Promise<void> {
    const { announcer } = this.#context;
    if (release === "deleted") announcer.ended(this.#id);
    else if (release === "shutdown" && !this.#lease.isLost) await announcer.leave(this.#id);
    else await announcer.handOver(this.#id);
  }

  /** What its connection still held is dropped: it may have come to both processes. */
  #tellLost(): void {
    if (this.#running === null) return;
    this.#context.metrics.lost.add(1);
    this.#context.logger.warn({ sourceId: this.#id }, "ingest_source_lost");
  }

  #start(): void {
    if (this.#applying || this.#released.signal.aborted) return;
    this.#applying = true;
    this.#task = this.#apply();
  }

  async #apply(): Promise<void> {
    const { clock, entropy, logger } = this.#context;
    const { signal } = this.#released;
    for (let attempt = 0; this.#applied < this.#wanted && !signal.aborted; attempt++) {
      try {
        await this.#applyOnce();
        attempt = -1;
      } catch (error) {
        logger.warn({ sourceId: this.#id, error: String(error) }, "ingest_source_settings_unknown");
        await clock.sleep(fullJitterMs(ENGINE, attempt, entropy.random()), signal).catch(() => undefined);
      }
    }
    this.#applying = false;
  }

  async #applyOnce(): Promise<void> {
    const wanted = this.#wanted;
    const source = await this.#context.sources.find(this.#id);
    if (source?.settings.type === "push") {
      this.#leave(source.revision);
      return;
    }
    const saved = await this.#savedStatus();
    if (source !== null && this.#running?.adopt(source) === true) {
      this.#applied = Math.max(wanted, source.revision);
      return;
    }
    await this.#running?.stop(source?.settings.enabled === false ? "the source was disabled" : null);
    this.#running = null;
    if (this.#released.signal.aborted) return;
    if (source !== null) this.#run(source, saved);
    this.#applied = Math.max(wanted, source?.revision ?? 0);
  }

  /** What is pushed is taken, counted and paused by those who serve the API. */
  #leave(revision: number): void {
    if (this.#applied === 0) this.#context.announcer.ended(this.#id);
    this.#applied = Math.max(this.#wanted, revision);
  }

  #run(source: StoredSource, saved: SavedSource): void {
    if (source.settings.enabled) this.#running = new RunningSource(this.#context, this.#lease, source, saved);
    else saved.ledger.is("disabled");
  }

  async #savedStatus(): Promise<SavedSource> {
    if (this.#saved !== null) return this.#saved;
    const { claims, clock, metrics, saver } = this.#context;
    const ledger = new SourceLedger(metrics, await claims.claim(this.#id, this.#lease));
    this.#saved = { ledger, rejections: new RejectionLog(clock, metrics) };
    saver.watch(this.#id, this.#saved);
    return this.#saved;
  }
}
