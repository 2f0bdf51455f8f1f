import type { DeliveryId } from "../../schemas/common.ts";
import type { Clock } from "../ports/clock.ts";
import type { LaneProgress, Lanes, MadeAttempt } from "../ports/webhooks.ts";
import type { Judged } from "./attempt.ts";
import type { LaneRunner } from "./lane-runner.ts";

/** What ends within so long is made durable together. */
const SAVE_EVERY_MS = 10;
const ATTEMPTS_MAX = 2_000;

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
  #running: Promise<void> | null = null;

  constructor(options: SaverOptions) {
    this.#options = options;
  }

  add(lane: LaneRunner, { made, circuit, disable }: Judged): void {
    const unsaved = this.#unsaved.get(lane) ?? { attempts: [], circuit, disable: null };
    unsaved.attempts.push(made);
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
    const { clock } = this.#options;
    while (this.#unsaved.size > 0) {
      await clock.sleep(SAVE_EVERY_MS, this.#stopping.signal);
      await this.#save(this.#take());
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

  async #save(taken: ReadonlyMap<LaneRunner, Unsaved>): Promise<void> {
    const { lanes, retrying, lost, disabled } = this.#options;
    const progress = [...taken].map(([{ lane }, unsaved]) => ({ ...unsaved, ...fenceOf(lane) }));
    const gone = await retrying(() => lanes.save(progress), this.#stopping.signal);
    for (const [lane, { attempts, disable }] of taken) {
      if (gone.has(lane.lane.webhookId)) lost(lane);
      else if (disable !== null) disabled(lane, disable);
      lane.saved(attempts.map(({ deliveryId }): DeliveryId => deliveryId));
    }
  }
}

const fenceOf = ({ webhookId, fence }: LaneRunner["lane"]) => ({ webhookId, fence });
