import { type Figures, rounded } from "./bench.ts";
import { isAlive, sumOf } from "./processes.ts";

const EVERY_MS = 500;

/** Processes that count as one, by the name that figures give them. */
export type Watched = Readonly<Record<string, readonly number[]>>;

/** Least squares over evenly spaced samples, per sample. */
const slope = (samples: readonly number[]): number => {
  const middle = (samples.length - 1) / 2;
  const mean = samples.reduce((sum, value) => sum + value, 0) / samples.length;
  const products = samples.reduce((sum, value, at) => sum + (at - middle) * (value - mean), 0);
  const squares = samples.reduce((sum, _, at) => sum + (at - middle) ** 2, 0);
  return squares === 0 ? 0 : products / squares;
};

/** Who sends, asks and receives. */
const OTHERS = ["generator", "load", "client", "subscribers", "receiver"];

/** Looks at processes' CPU and own memory from its making on. `others` are no part of what "ours" sums up. */
export class Sampler {
  readonly #watched: Watched;
  readonly #others: ReadonlySet<string>;
  readonly #cpuBefore: Map<string, number>;
  readonly #mib = new Map<string, number[]>();
  readonly #timer: NodeJS.Timeout;

  constructor(watched: Watched, others: readonly string[] = OTHERS) {
    this.#watched = watched;
    this.#others = new Set(others);
    this.#cpuBefore = new Map(Object.entries(watched).map(([name, pids]) => [name, sumOf(pids).cpuSeconds]));
    this.#sample();
    this.#timer = setInterval(() => this.#sample(), EVERY_MS);
    // A measurement that fails ends without `end`.
    this.#timer.unref();
  }

  /** Ends the look, with what each million readings took. Throws where a process that is watched has gone. */
  end(readings: number): { figures: Figures; mibOverTime: Record<string, number[]> } {
    const figures = { ...this.cost(readings), "growth MiB/min": this.#growth() };
    return { figures, mibOverTime: Object.fromEntries(this.#mib) };
  }

  /** As `end`, of what is counted, without what takes a minute to see. */
  cost(count: number, million = "million"): Figures {
    clearInterval(this.#timer);
    this.#sample();
    const figures: Record<string, number> = {};
    const each = (seconds: number) => rounded(seconds / (count / 1e6), 2);
    let ours = 0;
    for (const [name, pids] of Object.entries(this.#watched)) {
      const gone = pids.filter((pid) => !isAlive(pid));
      if (gone.length > 0)
        throw new Error(`${name} ended while it was measured: processes ${gone.join(", ")}`);
      const seconds = sumOf(pids).cpuSeconds - (this.#cpuBefore.get(name) ?? 0);
      if (!this.#others.has(name)) ours += seconds;
      figures[`CPU s per ${million}, ${name}`] = each(seconds);
    }
    figures[`CPU s per ${million}, ours`] = each(ours);
    return { ...figures, ...this.#peaks() };
  }

  /** As `end`, of memory alone. */
  peaks(): Figures {
    clearInterval(this.#timer);
    return this.#peaks();
  }

  #sample(): void {
    for (const [name, pids] of Object.entries(this.#watched)) {
      const samples = this.#mib.get(name) ?? [];
      samples.push(Math.round(sumOf(pids).rssAnonMib));
      this.#mib.set(name, samples);
    }
  }

  /** Of all that are ours, sample by sample. */
  get #together(): number[] {
    const ours = [...this.#mib].filter(([name]) => !this.#others.has(name)).map(([, samples]) => samples);
    return (ours[0] ?? []).map((_, at) => ours.reduce((sum, samples) => sum + (samples[at] ?? 0), 0));
  }

  #peaks(): Figures {
    const each = [...this.#mib].map(([name, samples]) => [`peak MiB, ${name}`, Math.max(...samples)]);
    return { ...Object.fromEntries(each), "peak MiB, ours": Math.max(...this.#together) };
  }

  #growth(): number {
    return rounded((slope(this.#together) * 60_000) / EVERY_MS);
  }
}
