import type { DeliveryId } from "../../schemas/common.ts";
import type { Clock } from "../ports/clock.ts";
import type { LaneProgress, Lanes, MadeAttempt } from "../ports/webhooks.ts";
import type { Judged } from "./attempt.ts";
import type { LaneRunner } from "./lane-runner.ts";

/** What ends within so long is made durable together. */
const SAVE_EVERY_MS = 10;
/** Results that are not durable yet; no more is sent meanwhile: whoever comes after a kill sends all that again. */
const UNSAVED_MAX = 500;
const ATTEMPTS_MAX = 2_000;
/** After a failure that nobody thought of. */
const FAILED_PAUSE_MS = 1_000;

interface Unsaved {
  attempts: MadeAttempt[];
  circuit: LaneProgress["circuit"];
  disable: string | null;
}

export interface SaverOptions {
  readonly lanes: Pick<Lanes, "save">;
  readonly clock: Clock;
  readonly retrying: <T>(task: () => Promise<T>, signal: AbortSignal) => Promise<T>;
  /** Others hold it now: nothing that it did since is written. */
  readonly lost: (lane: LaneRunner) => void;
  readonly disabled: (lane: LaneRunner, reason: string) => void;
  readonly failed: (error: unknown) => void;
}

/** Writes what came of attempts, of all lanes together, so that a transaction is worth its cost. */
export class ProgressSaver {
  readonly #options: SaverOptions;
  readonly #stopping = new AbortController();
  readonly #unsaved = new Map<LaneRunner, Unsaved>();
  #count = 0;
  /** Those that wait for room. */
  readonly #refused = new Set<LaneRunner>();
  #running: Promise<void> | null = null;

  constructor(options: SaverOptions) {
    this.#options = options;
  }

  /** Where there is none, the lane is pumped once there is. */
  hasRoom(lane: LaneRunner): boolean {
    if (this.#count < UNSAVED_MAX) return true;
    this.#refused.add(lane);
    return false;
  }

  add(lane: LaneRunner, { made, circuit, disable }: Judged): void {
    const unsaved = this.#unsaved.get(lane) ?? { attempts: [], circuit, disable: null };
    unsaved.attempts.push(made);
    this.#count++;
    unsaved.circuit = circuit;
    unsaved.disable ??= disable;
    this.#unsaved.set(lane, unsaved);
    this.#start();
  }

  /** Resolves when all is saved, or when `deadline` aborts: what is not is done again by whoever comes next. */
  async flush(deadline: AbortSignal): Promise<void> {
    const giveUp = () => this.#stopping.abort(deadline.reason);
    if (deadline.aborted) giveUp();
    deadline.addEventListener("abort", giveUp);
    await this.#running;
    deadline.removeEventListener("abort", giveUp);
  }

  #start(): void {
    this.#running ??= this.#run()
      .catch((error: unknown) => {
        if (!this.#stopping.signal.aborted) this.#options.failed(error);
      })
      .finally(() => {
        this.#running = null;
        if (this.#unsaved.size > 0 && !this.#stopping.signal.aborted) this.#start();
      });
  }

  async #run(): Promise<void> {
    const { clock, failed } = this.#options;
    const { signal } = this.#stopping;
    while (this.#unsaved.size > 0) {
      await clock.sleep(SAVE_EVERY_MS, signal);
      const taken = this.#take();
      try {
        await this.#save(taken);
      } catch (error) {
        if (signal.aborted) throw error;
        failed(error);
        this.#putBack(taken);
        await clock.sleep(FAILED_PAUSE_MS, signal);
      }
    }
  }

  /** Whole lanes, as many as make a transaction of a bearable length. */
  #take(): Map<LaneRunner, Unsaved> {
    const taken = new Map<LaneRunner, Unsaved>();
    let attempts = 0;
    for (const [lane, unsaved] of this.#unsaved) {
      if (attempts >= ATTEMPTS_MAX) break;
      taken.set(lane, unsaved);
      this.#unsaved.delete(lane);
      attempts += unsaved.attempts.length;
    }
    return taken;
  }

  #putBack(taken: ReadonlyMap<LaneRunner, Unsaved>): void {
    for (const [lane, older] of taken) {
      const newer = this.#unsaved.get(lane);
      const attempts = [...older.attempts, ...(newer?.attempts ?? [])];
      const disable = older.disable ?? newer?.disable ?? null;
      this.#unsaved.set(lane, { attempts, circuit: newer?.circuit ?? older.circuit, disable });
    }
  }

  async #save(taken: ReadonlyMap<LaneRunner, Unsaved>): Promise<void> {
    const { lanes, retrying, lost, disabled } = this.#options;
    const progress = [...taken].map(([{ lane }, unsaved]) => ({ ...unsaved, ...fenceOf(lane) }));
    const gone = await retrying(() => lanes.save(progress), this.#stopping.signal);
    for (const [lane, { attempts, disable }] of taken) {
      this.#count -= attempts.length;
      if (gone.has(lane.lane.webhookId)) lost(lane);
      else if (disable !== null) disabled(lane, disable);
      lane.saved(attempts.map(({ deliveryId }): DeliveryId => deliveryId));
    }
    this.#letIn();
  }

  #letIn(): void {
    const refused = [...this.#refused];
    this.#refused.clear();
    for (const lane of refused) lane.pump();
  }
}

const fenceOf = ({ webhookId, fence }: LaneRunner["lane"]) => ({ webhookId, fence });
