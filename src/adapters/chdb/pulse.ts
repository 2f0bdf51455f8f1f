import { request } from "node:http";
import type { Clock } from "../../ports/clock.ts";
import type { EngineProcess } from "./process.ts";
import { SocketAgent } from "./socket-agent.ts";

/** When silence is told, and when it is ended: later than any request's own limit, so that none is cut short by it. */
export interface PulseLimits {
  readonly everyMs: number;
  readonly downAfterMs: number;
  readonly killAfterMs: number;
}
export const PULSE_LIMITS: PulseLimits = { everyMs: 5_000, downAfterMs: 15_000, killAfterMs: 75_000 };

/** Whether the engine itself answers: `/ping` would be answered by its process alone. */
const answers = (agent: SocketAgent): Promise<boolean> =>
  new Promise((resolve) => {
    const asked = request({ agent, path: "/?query=SELECT%201" }, (response) => {
      response.resume();
      response.once("close", () => resolve(response.complete && response.statusCode === 200));
    });
    asked.once("error", () => resolve(false));
    asked.end();
  });

interface PulseOptions {
  readonly socketPath: string;
  readonly limits: PulseLimits;
  readonly clock: Clock;
  readonly running: () => EngineProcess | null;
  /** The engine has been silent for too long. */
  readonly hangs: (child: EngineProcess) => void;
}

/** Asks the engine now and then whether it is there: one that hangs does not exit. */
export class Pulse {
  readonly #options: PulseOptions;
  readonly #agent: SocketAgent;
  readonly #cancel: () => void;
  #child: EngineProcess | null = null;
  #isAsking = false;
  /** When the first question was asked that has had no answer yet. */
  #askedAt: number | null = null;

  constructor(options: PulseOptions) {
    this.#options = options;
    this.#agent = new SocketAgent(options.socketPath);
    this.#cancel = options.clock.every(options.limits.everyMs, () => this.#look());
  }

  /** In words; null while it answers. */
  fault(): string | null {
    const silentMs = this.#silentMs();
    if (silentMs <= this.#options.limits.downAfterMs) return null;
    return `has not answered for ${Math.round(silentMs / 1_000)} s; it is restarted if it goes on`;
  }

  stop(): void {
    this.#cancel();
    this.#agent.destroy();
  }

  #silentMs(): number {
    return this.#askedAt === null ? 0 : this.#options.clock.monotonic() - this.#askedAt;
  }

  #look(): void {
    const { clock, limits, running, hangs } = this.#options;
    const child = running();
    if (child !== this.#child) this.#askedAt = null;
    this.#child = child;
    if (child === null) return;
    if (this.#silentMs() > limits.killAfterMs) hangs(child);
    else if (!this.#isAsking) {
      this.#askedAt ??= clock.monotonic();
      void this.#ask();
    }
  }

  /** Never rejects. */
  async #ask(): Promise<void> {
    this.#isAsking = true;
    if (await answers(this.#agent)) this.#askedAt = null;
    this.#isAsking = false;
  }
}
