import type { AccountId, Labels } from "../../../schemas/common.ts";
import type { SourceCreate } from "../../../schemas/source.ts";
import type { SourceTestAnswer } from "../../../schemas/source-actions.ts";
import { compileMapping } from "../../domain/mapping/compile.ts";
import { askNames } from "../../intake/name-question.ts";
import { INTAKE_DEFAULTS, type IntakeSettings } from "../../intake/settings.ts";
import type { ControlStore } from "../../ports/control-store.ts";
import type { Surroundings } from "../../ports/surroundings.ts";
import type { Gauge } from "../../ports/telemetry.ts";
import { CONNECTION_DEFAULTS, type ConnectionSettings } from "../../sources/source.ts";
import { ProblemError, validationFailed } from "../problem.ts";
import { SourceTrial, TRIAL_MS } from "./source-trial.ts";
import { withoutUnknown } from "./trial-messages.ts";

/** Each may hold a connection and a message for ten seconds. */
const TRIALS_MAX = 10;
const NAMES_PER_CALL = 500;
const RETRY_AFTER = { "Retry-After": String(TRIAL_MS / 1_000) };

export interface SourceTrialsOptions extends Surroundings {
  readonly control: Pick<ControlStore, "signals">;
  readonly settings: { readonly intake?: Partial<IntakeSettings & ConnectionSettings> };
}

/** Tries sources, a few at a time. */
export class SourceTrials {
  readonly #options: SourceTrialsOptions;
  readonly #gauge: Gauge;
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<unknown>>();

  constructor(options: SourceTrialsOptions) {
    this.#options = options;
    this.#gauge = options.telemetry.metrics.gauge("source_trials", "Sources that are being tried.");
  }

  /** What comes of a source with these settings. Throws a problem where nothing can be tried. */
  async try(accountId: AccountId, settings: SourceCreate): Promise<SourceTestAnswer> {
    if (settings.type === "push")
      throw validationFailed([
        { path: "type", message: "connects to nothing: push a message to it, and see its answer" },
      ]);
    if (this.#running.size >= TRIALS_MAX)
      throw new ProblemError("rate_limited", "too many sources are being tried", { headers: RETRY_AFTER });
    const answer = await this.#tracked(this.#trialOf(settings).run(this.#stop.signal));
    return settings.unknownSignals === "reject" ? this.#known(accountId, settings, answer) : answer;
  }

  /** Those that run are cut short, and answered. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.allSettled(this.#running);
  }

  #trialOf(settings: SourceCreate): SourceTrial {
    const { clock, entropy, telemetry, settings: ours } = this.#options;
    const mapping = compileMapping("mapping" in settings ? settings.mapping : { preset: "default" });
    if (!mapping.ok) throw validationFailed([{ path: "mapping", message: mapping.message }]);
    const connection = { ...CONNECTION_DEFAULTS, ...ours.intake };
    const { retentionRawDays } = { ...INTAKE_DEFAULTS, ...ours.intake };
    const fault = (error: unknown, where: string) => {
      const stack = error instanceof Error ? error.stack : String(error);
      telemetry.log.error({ where, error: stack }, "source_test_fault");
    };
    const options = { clock, entropy, connection, retentionRawDays, fault };
    return new SourceTrial(options, settings, mapping.mapping);
  }

  async #tracked<T>(trial: Promise<T>): Promise<T> {
    this.#running.add(trial);
    this.#gauge.set(this.#running.size);
    try {
      return await trial;
    } finally {
      this.#running.delete(trial);
      this.#gauge.set(this.#running.size);
    }
  }

  /** With readings of unknown names as the rejections that they would be. */
  async #known(
    accountId: AccountId,
    { defaults }: SourceCreate,
    answer: SourceTestAnswer,
  ): Promise<SourceTestAnswer> {
    const names = new Set(answer.messages.flatMap(({ readings }) => readings.map(({ signal }) => signal)));
    const asker = { accountId, sourceId: null, create: false, defaults };
    const known = new Set<string>();
    for (const slice of slicesOf([...names])) {
      const asked = new Map(slice.map((name): [string, Labels] => [name, {}]));
      for (const name of (await askNames(this.#options.control.signals, asker, asked)).keys())
        known.add(name);
    }
    const messages = answer.messages.map((message) => withoutUnknown(message, (name) => known.has(name)));
    return { ...answer, messages };
  }
}

function* slicesOf(names: readonly string[]): Generator<readonly string[]> {
  for (let from = 0; from < names.length; from += NAMES_PER_CALL)
    yield names.slice(from, from + NAMES_PER_CALL);
}
