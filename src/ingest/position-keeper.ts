import type { SourceId } from "../../schemas/common.ts";
import { ENGINE } from "../domain/backoff.ts";
import { retrying } from "../domain/retry.ts";
import type { Clock, Entropy } from "../ports/clock.ts";
import type { Sources } from "../ports/control-store.ts";
import type { Logger } from "../ports/telemetry.ts";
import type { Position } from "../sources/source.ts";
import type { SourceClaims } from "./source-claims.ts";

export interface PositionKeeperOptions {
  readonly sources: Pick<Sources, "position">;
  readonly claims: Pick<SourceClaims, "savePosition">;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly logger: Logger;
}

/**
 * Keeps how far a source is in control data, which every process that may run it next reads at its start. Saved in the
 * background: a feed goes on while control data is away, and what it had is asked for again only by who starts then.
 */
export class PositionKeeper implements Position {
  readonly #options: PositionKeeperOptions;
  readonly #id: SourceId;
  readonly #stop = new AbortController();
  #newest: string | null = null;
  #task: Promise<void> | null = null;

  constructor(options: PositionKeeperOptions, id: SourceId) {
    this.#options = options;
    this.#id = id;
  }

  load(signal: AbortSignal): Promise<string | null> {
    return this.#retrying(() => this.#options.sources.position(this.#id), signal);
  }

  save(position: string): void {
    this.#newest = position;
    this.#task ??= this.#save().finally(() => {
      this.#task = null;
    });
  }

  /** Gives up when `deadline` aborts. */
  async stop(deadline: AbortSignal): Promise<void> {
    const giveUp = () => this.#stop.abort(deadline.reason);
    if (deadline.aborted) giveUp();
    deadline.addEventListener("abort", giveUp);
    await this.#task;
    deadline.removeEventListener("abort", giveUp);
  }

  async #save(): Promise<void> {
    const { signal } = this.#stop;
    while (this.#newest !== null && !signal.aborted) {
      const position = this.#newest;
      this.#newest = null;
      const saved = this.#retrying(() => this.#options.claims.savePosition(this.#id, position), signal);
      await saved.catch(() => undefined);
    }
  }

  #retrying<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const { clock, entropy, logger } = this.#options;
    return retrying(task, {
      policy: ENGINE,
      retriable: () => true,
      sleep: (ms, until) => clock.sleep(ms, until),
      random: () => entropy.random(),
      signal,
      failed: (error) => logger.warn({ sourceId: this.#id, error: String(error) }, "ingest_position_unknown"),
    });
  }
}
