/** Structured log lines. Fields never hold a secret. The message of a failure is its metric's and problem's name. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  child(fields: object): Logger;
}

export interface Counter {
  add(count: number, labels?: Readonly<Record<string, string>>): void;
}
export interface Gauge {
  set(value: number, labels?: Readonly<Record<string, string>>): void;
  /** Instead of all that was set before: what is not named any more, such as a partition that moved, is told no more. */
  replace(all: Iterable<readonly [value: number, labels: Readonly<Record<string, string>>]>): void;
}
export interface Histogram {
  /** Seconds. */
  observe(seconds: number, labels?: Readonly<Record<string, string>>): void;
}

/** Metrics by Prometheus' naming rules (https://prometheus.io/docs/practices/naming/); asking twice gives the same one. */
export interface Metrics {
  counter(name: string, help: string, labelNames?: readonly string[]): Counter;
  /** `together`: what the values that several threads of the process have of one series make; default: their sum. */
  gauge(name: string, help: string, labelNames?: readonly string[], together?: "sum" | "max"): Gauge;
  histogram(name: string, help: string, labelNames?: readonly string[]): Histogram;
  /** What a counter has come to, over all its series with these labels; null where nobody has made it. */
  total(name: string, labels?: Readonly<Record<string, string>>): Promise<number | null>;
  /** The text of `GET /metrics`, and its content type. */
  expose(): Promise<{ contentType: string; text: string }>;
  /** Everything measured here, of no use but to `include` it elsewhere: it may be sent to another thread. */
  values(): Promise<readonly object[]>;
  /** From now on, until the function given is called, totals and text are of another thread's metrics, too. */
  include(other: Pick<Metrics, "total" | "values">): () => void;
}

export interface Telemetry {
  readonly log: Logger;
  readonly metrics: Metrics;
}
