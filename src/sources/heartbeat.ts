import type { WebSocketSettings } from "../../schemas/source.ts";
import type { Clock } from "../ports/clock.ts";

type HeartbeatSettings = WebSocketSettings["heartbeat"];

/** Asks the far end for a sign of life, and says when none has come in time. */
export class Heartbeat {
  readonly #settings: HeartbeatSettings;
  readonly #clock: Clock;
  readonly #dead: (reason: string) => void;
  readonly #stopBeating: () => void;
  #cancelDeadline: (() => void) | null = null;
  #listening = true;

  /** `beat` sends the ping, or the text that the settings name; `dead` is called at most once. */
  constructor(settings: HeartbeatSettings, clock: Clock, beat: () => void, dead: (reason: string) => void) {
    this.#settings = settings;
    this.#clock = clock;
    this.#dead = dead;
    this.#stopBeating = clock.every(settings.intervalSeconds * 1000, () => {
      beat();
      this.#expect();
    });
  }

  /** Anything at all came from the far end. */
  alive(): void {
    this.#cancelDeadline?.();
    this.#cancelDeadline = null;
  }

  /** While we do not read we cannot hear, and blame nobody. */
  deaf(): void {
    this.#listening = false;
    this.alive();
  }

  hearing(): void {
    this.#listening = true;
  }

  stop(): void {
    this.#stopBeating();
    this.alive();
  }

  #expect(): void {
    if (this.#cancelDeadline !== null || !this.#listening) return;
    const seconds = this.#settings.expectWithinSeconds;
    this.#cancelDeadline = this.#clock.after(seconds * 1000, () => {
      this.stop();
      this.#dead(`no sign of life came within ${seconds} s of a heartbeat`);
    });
  }
}
