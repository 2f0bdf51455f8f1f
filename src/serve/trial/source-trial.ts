import type { SourceCreate } from "../../../schemas/source.ts";
import type { SourceTestAnswer, TriedStep } from "../../../schemas/source-actions.ts";
import type { CompiledMapping } from "../../domain/mapping/visitor.ts";
import type { Clock, Entropy } from "../../ports/clock.ts";
import { secretsOf, withoutSecrets } from "../../sources/far-words.ts";
import { runnerOf } from "../../sources/runner.ts";
import type { ConnectionSettings, Flow, SourceContext, SourceReport } from "../../sources/source.ts";
import { TrialIntake } from "./trial-intake.ts";

export const TRIAL_MS = 10_000;
const LATE = `it was not connected within ${TRIAL_MS / 1_000} s`;

export interface SourceTrialOptions {
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly connection: ConnectionSettings;
  readonly retentionRawDays: number | null;
  readonly fault: (error: unknown, where: string) => void;
}

/**
 * Runs a source as ever, but for ten seconds at the most, until it has shown enough or ends, and only to show what comes:
 * nothing reaches the log, no place in a feed is read or saved, and nobody is told.
 */
export class SourceTrial {
  readonly #options: SourceTrialOptions;
  readonly #settings: SourceCreate;
  readonly #intake: TrialIntake;
  readonly #hide: (text: string) => string;
  readonly #end = new AbortController();
  readonly #steps: TriedStep[] = [];
  readonly #beganMs: number;
  #endedMs: number | null = null;
  #connected = false;
  #reason: string | null = null;

  constructor(options: SourceTrialOptions, settings: SourceCreate, mapping: CompiledMapping) {
    const { clock, retentionRawDays } = options;
    const secrets = secretsOf(settings);
    this.#options = options;
    this.#settings = settings;
    this.#hide = (text) => withoutSecrets(text, secrets);
    this.#beganMs = clock.monotonic();
    // Before it is connected, what its handshake waits for may be the next message.
    const enough = () => this.#connected && this.#over(null);
    this.#intake = new TrialIntake({ mapping, clock, retentionRawDays, hide: this.#hide, enough });
  }

  /** Resolves when everything that was opened is closed; `signal` ends it early. */
  async run(signal: AbortSignal): Promise<SourceTestAnswer> {
    const { clock, fault } = this.#options;
    const stop = () => this.#over("the service stops");
    signal.addEventListener("abort", stop);
    if (signal.aborted) stop();
    const cancel = clock.after(TRIAL_MS, () => this.#over(this.#connected ? null : LATE));
    try {
      await runnerOf(this.#settings)(this.#context(), this.#end.signal);
    } catch (error) {
      fault(error, "source_test");
      this.#over("an error on our side");
    } finally {
      cancel();
      signal.removeEventListener("abort", stop);
    }
    return this.#answer();
  }

  /** The first reason is the one. */
  #over(reason: string | null): void {
    if (this.#endedMs !== null) return;
    this.#endedMs = this.#options.clock.monotonic();
    this.#reason = reason === null ? null : this.#hide(reason);
    this.#end.abort();
  }

  #context(): SourceContext {
    const { clock, entropy, connection, fault } = this.#options;
    return {
      intake: this.#intake,
      flow: this.#flow(),
      report: this.#report(),
      position: { load: async () => null, save: () => undefined },
      settings: connection,
      stepped: (step) => this.#steps.push(step),
      ...{ clock, entropy, fault },
    };
  }

  /** Nothing more is heard once it is over. */
  #flow(): Flow {
    const { signal } = this.#end;
    return {
      get paused() {
        return signal.aborted;
      },
      get isHeldBack() {
        return signal.aborted;
      },
      isInDoubt: false,
      ours: async () => undefined,
      attach: () => undefined,
      detach: () => undefined,
      spend: () => undefined,
    };
  }

  #report(): SourceReport {
    return {
      connecting: () => undefined,
      connected: () => {
        this.#connected = true;
        // A feed that is asked has answered in full by then.
        if (this.#settings.type === "http-poll" || this.#intake.messages.isFull) this.#over(null);
      },
      waiting: (reason) => this.#over(reason),
      failed: (reason) => this.#over(reason),
      reconnecting: () => undefined,
    };
  }

  /** That it took too long names the step of the handshake that went on waiting. */
  #why(): string | null {
    const unmet = this.#steps.find(({ ok }) => !ok);
    if (this.#reason !== LATE || unmet === undefined) return this.#reason;
    const { step, expect, came } = unmet;
    const instead = came === null ? "nothing came" : `nothing that came has it; what came last: ${came}`;
    return this.#hide(`${LATE}: handshake step ${step} waited for ${expect}, and ${instead}`);
  }

  #answer(): SourceTestAnswer {
    const endedMs = this.#endedMs ?? this.#options.clock.monotonic();
    return {
      connected: this.#connected,
      reason: this.#why(),
      durationMs: Math.round(endedMs - this.#beganMs),
      handshake: this.#steps,
      messages: this.#intake.messages.shown,
    };
  }
}
