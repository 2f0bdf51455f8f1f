import { ENGINE, fullJitterMs } from "../domain/backoff.ts";
import type { Snapshots } from "../ports/control-store.ts";
import type { EventLog } from "../ports/event-log.ts";
import type { Surroundings } from "../ports/surroundings.ts";
import { seedLiveValues } from "./live-seed.ts";
import type { LiveValues } from "./live-values.ts";

export interface LiveReseedOptions extends Surroundings {
  readonly log: EventLog;
  readonly snapshots: Snapshots;
  readonly live: LiveValues;
}

/** By then every evaluator has sealed what it knew at the gap: it does so each half minute. */
const SEALED_AFTER_MS = 60_000;

/**
 * Takes newest values from the snapshots again after records of topic `live` were gone before they were read: at once,
 * and again when snapshots have been sealed that are younger than the gap. Tried again while control data is away.
 */
export class LiveReseed {
  readonly #options: LiveReseedOptions;
  readonly #stop = new AbortController();
  #wanted = false;
  #task: Promise<void> | null = null;
  #cancelLater = (): void => undefined;

  constructor(options: LiveReseedOptions) {
    this.#options = options;
  }

  /** Also while it runs: then once more. */
  start(): void {
    this.#cancelLater();
    this.#cancelLater = this.#options.clock.after(SEALED_AFTER_MS, () => this.#seed());
    this.#seed();
  }

  async stop(): Promise<void> {
    this.#cancelLater();
    this.#stop.abort(new Error("serve stops"));
    await this.#task;
  }

  #seed(): void {
    this.#wanted = true;
    this.#task ??= this.#run().finally(() => {
      this.#task = null;
    });
  }

  async #run(): Promise<void> {
    const { log, snapshots, live, clock, entropy, telemetry } = this.#options;
    const { signal } = this.#stop;
    for (let attempt = 0; this.#wanted && !signal.aborted; attempt++) {
      this.#wanted = false;
      try {
        await seedLiveValues(snapshots, log.logId, live, telemetry.log);
        attempt = -1;
      } catch (err) {
        this.#wanted = true;
        telemetry.log.warn({ err }, "live_not_seeded");
        await clock.sleep(fullJitterMs(ENGINE, attempt, entropy.random()), signal).catch(() => undefined);
      }
    }
  }
}
