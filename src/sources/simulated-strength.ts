import type { SimulatorScenario, SimulatorSettings } from "../../schemas/source.ts";

const IDLE_DBM = -42;
const OUTAGE_EVERY_SECONDS = 60;
const FADE_SECONDS = 300;
const FADE_DBM = 53;

/** xorshift32 (G. Marsaglia, "Xorshift RNGs", 2003): small state, so that a million signals may have one each. */
const nextState = (state: number): number => {
  let x = state;
  x ^= x << 13;
  x ^= x >>> 17;
  x ^= x << 5;
  return x;
};

/** A signal's first state: the finaliser of murmur3 over seed and index, never 0. */
const firstState = (seed: number, index: number): number => {
  let h = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35);
  h ^= h >>> 16;
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return (h ^ (h >>> 16)) | 1;
};

const share = (state: number): number => (state >>> 0) / 2 ** 32;

/**
 * The strengths of a simulator's signals, in dBm, to one decimal. Each signal draws from its own sequence, and time is
 * what the readings' rate says it is, so a seed always gives the same strengths in the same order.
 */
export class SimulatedStrengths {
  readonly #scenario: SimulatorScenario;
  readonly #states: Int32Array;
  readonly #phases: Float32Array;

  constructor(settings: Pick<SimulatorSettings, "signals" | "seed" | "scenario">) {
    this.#scenario = settings.scenario;
    this.#states = Int32Array.from({ length: settings.signals }, (_, index) =>
      firstState(settings.seed, index),
    );
    this.#phases = Float32Array.from(this.#states, (state) => share(nextState(state)));
  }

  /** The next strength of a signal at `seconds` since the simulator began. */
  next(signal: number, seconds: number): number {
    const state = nextState(this.#states[signal] ?? 1);
    this.#states[signal] = state;
    // The sum of two uniforms: a triangle from -1.5 to 1.5 dB, a deviation of about 0.6.
    const noise = ((state & 0xffff) + ((state >>> 16) & 0xffff)) / 0xffff - 1;
    return Math.round((this.#base(this.#phases[signal] ?? 0, seconds) + noise * 1.5) * 10) / 10;
  }

  #base(phase: number, seconds: number): number {
    if (this.#scenario === "steady") return IDLE_DBM;
    if (this.#scenario === "fading") {
      return IDLE_DBM - (FADE_DBM / 2) * (1 - Math.cos(2 * Math.PI * (seconds / FADE_SECONDS + phase)));
    }
    const period = OUTAGE_EVERY_SECONDS * (0.85 + 0.3 * phase);
    const into = (seconds + phase * 7919) % period;
    const lasts = 3 + 3 * phase;
    return into < lasts ? IDLE_DBM - 14 - 18 * phase : IDLE_DBM;
  }
}
