/** Figures of one run, by what they are and their unit, as tables show them. */
export type Figures = Readonly<Record<string, number>>;

/** What one case of a bench came to in one run. */
export interface Measured {
  readonly name: string;
  readonly figures: Figures;
  /** Kept of each run beside the figures, such as a course over time. */
  readonly detail?: unknown;
}

/** How long each case measures where a quick look says so; null: as long as the bench thinks right. */
export interface RunOptions {
  readonly seconds: number | null;
  /** Whether a case of this name is asked for; benches whose cases stand alone leave the others out. */
  readonly wants: (name: string) => boolean;
}

/** One thing that `npm run bench` measures. */
export interface Bench {
  /** What is measured, for the table's reader. */
  readonly about: string;
  readonly parameters: object;
  /** One run of every case, one after the other, so that cases of one run can be compared. */
  readonly round: (options: RunOptions) => AsyncIterable<Measured>;
  /** What this machine lacks for all of its cases, and how to have it; null: nothing. */
  readonly lacks?: () => Promise<string | null>;
}

export const wait = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
export const rounded = (value: number, decimals = 0): number => Number(value.toFixed(decimals));
