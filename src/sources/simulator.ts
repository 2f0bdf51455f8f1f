import type { SimulatorSettings } from "../../schemas/source.ts";
import { SimulatedStrengths } from "./simulated-strength.ts";
import type { RunSource, SourceContext } from "./source.ts";

const BATCH_MS = 10;
/** After a pause or a stall it does not catch up with more than this. */
const CATCH_UP_MS = 200;
const READINGS_PER_TURN = 25_000;

const namesOf = (signals: number): string[] => {
  const digits = Math.max(2, String(signals).length);
  return Array.from({ length: signals }, (_, index) => `demo-${String(index + 1).padStart(digits, "0")}`);
};

/** Makes readings in turn for each signal, at the rate asked for. */
class Simulator {
  readonly #settings: SimulatorSettings;
  readonly #context: SourceContext;
  readonly #names: readonly string[];
  readonly #strengths: SimulatedStrengths;
  #made = 0;
  #due = 0;
  #then: number;

  constructor(settings: SimulatorSettings, context: SourceContext) {
    this.#settings = settings;
    this.#context = context;
    this.#names = namesOf(settings.signals);
    this.#strengths = new SimulatedStrengths(settings);
    this.#then = context.clock.monotonic();
  }

  batch(): void {
    const { clock, flow, intake } = this.#context;
    const now = clock.monotonic();
    const elapsedMs = Math.min(now - this.#then, CATCH_UP_MS);
    this.#then = now;
    if (flow.paused) return;
    this.#due = Math.min(
      this.#due + (elapsedMs / 1000) * this.#settings.readingsPerSecond,
      READINGS_PER_TURN,
    );
    if (this.#due < 1) return;
    intake.arrive();
    const atMs = clock.now();
    for (; this.#due >= 1; this.#due--) this.#one(atMs);
  }

  #one(atMs: number): void {
    const { signals, readingsPerSecond } = this.#settings;
    const signal = this.#made % signals;
    const strength = this.#strengths.next(signal, this.#made / readingsPerSecond);
    this.#made++;
    this.#context.intake.reading(this.#names[signal] ?? "", atMs, strength, null);
  }
}

/** The built-in source of made-up readings. */
export const simulatorSource =
  (settings: SimulatorSettings): RunSource =>
  async (context, signal) => {
    const { clock, fault, report } = context;
    const simulator = new Simulator(settings, context);
    report.connected();
    const stop = clock.every(BATCH_MS, () => {
      try {
        simulator.batch();
      } catch (error) {
        fault(error, "simulator");
      }
    });
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener("abort", () => resolve(), { once: true });
    });
    stop();
  };
