import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/telemetry.ts";
import { Background } from "./background.ts";

/** When something was last used is told to the minute. */
const TELL_EVERY_MS = 60_000;

/** Remembers when each thing was last used, and tells it once a minute, of all of them together. */
export class LastUses<Id> {
  readonly #clock: Clock;
  readonly #tell: (at: ReadonlyMap<Id, number>) => Promise<void>;
  readonly #failed: (error: unknown) => void;
  readonly #at = new Map<Id, number>();
  readonly #background = new Background();
  readonly #cancel: () => void;

  /** `failure`: what the log calls it that nothing could be told. */
  constructor(
    clock: Clock,
    tell: (at: ReadonlyMap<Id, number>) => Promise<void>,
    { log, failure }: { readonly log: Logger; readonly failure: string },
  ) {
    this.#clock = clock;
    this.#tell = tell;
    this.#failed = (err) => log.warn({ err }, failure);
    this.#cancel = clock.every(TELL_EVERY_MS, () => this.#tellAll());
  }

  used(id: Id): void {
    this.#at.set(id, this.#clock.now());
  }

  /** Once all is told. */
  async stop(): Promise<void> {
    this.#cancel();
    this.#tellAll();
    await this.#background.settled();
  }

  #tellAll(): void {
    const at = new Map(this.#at);
    this.#at.clear();
    this.#background.run(() => this.#tell(at), this.#failed);
  }
}
