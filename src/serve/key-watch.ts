import type { Clock } from "../ports/clock.ts";
import type { Counter, Logger, Telemetry } from "../ports/telemetry.ts";
import { Background } from "./background.ts";
import type { Caller } from "./caller.ts";
import type { Callers } from "./callers.ts";
import { KEY_TTL_MS } from "./known-keys.ts";

interface Ending {
  readonly endsAt: Caller["endsAt"];
  readonly ended: () => void;
}
interface Watched {
  readonly key: Caller;
  readonly endings: Set<Ending>;
}

/** Ends what stays open long after its request within 5 s of the key that opened it being revoked or expiring. */
export class KeyWatch {
  readonly #keys: Pick<Callers, "holds">;
  readonly #log: Logger;
  readonly #failures: Counter;
  readonly #watched = new Map<Caller["id"], Watched>();
  readonly #background = new Background();
  readonly #clock: Clock;
  readonly #cancel: () => void;
  #isChecking = false;

  constructor(keys: Pick<Callers, "holds">, clock: Clock, { log, metrics }: Telemetry) {
    this.#keys = keys;
    this.#log = log;
    this.#failures = metrics.counter(
      "stream_key_unchecked_total",
      "Keys of open streams that could not be looked up.",
    );
    this.#clock = clock;
    this.#cancel = clock.every(KEY_TTL_MS, () => this.#check());
  }

  /** Calls `ended` once the key holds no more; the function returned ends the watch. */
  watch(key: Caller, ended: () => void): () => void {
    const watched = this.#watched.get(key.id) ?? { key, endings: new Set() };
    this.#watched.set(key.id, watched);
    const ending = { endsAt: key.endsAt, ended };
    watched.endings.add(ending);
    return () => {
      watched.endings.delete(ending);
      if (watched.endings.size === 0 && this.#watched.get(key.id) === watched) this.#watched.delete(key.id);
    };
  }

  async stop(): Promise<void> {
    this.#cancel();
    await this.#background.settled();
  }

  #check(): void {
    if (this.#isChecking) return;
    this.#isChecking = true;
    this.#background.run(
      async () => {
        for (const watched of [...this.#watched.values()]) await this.#checkOne(watched);
        this.#isChecking = false;
      },
      () => undefined,
    );
  }

  async #checkOne({ key, endings }: Watched): Promise<void> {
    const now = this.#clock.now();
    for (const { endsAt, ended } of [...endings]) if (endsAt !== null && endsAt <= now) ended();
    try {
      if (await this.#keys.holds(key)) return;
    } catch (err) {
      this.#failures.add(1);
      this.#log.warn({ keyId: key.id, err }, "stream_key_unchecked");
      return;
    }
    for (const { ended } of [...endings]) ended();
  }
}
