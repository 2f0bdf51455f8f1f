import type { SourceId } from "../../../schemas/common.ts";
import type { FlowAnnouncer } from "../../intake/flow-announcer.ts";
import type { Clock } from "../../ports/clock.ts";

/** Senders that were turned away get so long to come again before their silence counts as theirs. */
const COME_BACK_MS = 30_000;
const SOURCES_MAX = 10_000;

/** Tells the log which sources were turned away, so that the no-data clock of their signals stands still meanwhile. */
export class PushPauses {
  readonly #announcer: FlowAnnouncer;
  readonly #clock: Clock;
  readonly #held = new Set<SourceId>();
  #refusedMs = 0;

  constructor(announcer: FlowAnnouncer, clock: Clock) {
    this.#announcer = announcer;
    this.#clock = clock;
  }

  refused(id: SourceId): void {
    this.#refusedMs = this.#clock.monotonic();
    if (this.#held.has(id) || this.#held.size === SOURCES_MAX) return;
    this.#held.add(id);
    this.#announcer.started(id);
    this.#announcer.paused(id, true);
  }

  flows(id: SourceId): void {
    if (this.#held.delete(id)) this.#announcer.ended(id);
  }

  /** Called now and then with why nothing can be taken; null while all is well. */
  look(refusal: string | null): void {
    if (refusal !== null) this.#refusedMs = this.#clock.monotonic();
    else if (this.#clock.monotonic() - this.#refusedMs > COME_BACK_MS) this.#letAllGo();
  }

  /** Other processes may take their pushes: what they bring is not held back by what has been here. */
  async stop(deadline: AbortSignal): Promise<void> {
    this.#letAllGo();
    await this.#announcer.stop(deadline);
  }

  #letAllGo(): void {
    for (const id of this.#held) this.flows(id);
  }
}
