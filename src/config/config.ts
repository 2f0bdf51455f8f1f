import { z } from "zod";

const GIB = 1024 ** 3;

/** A whole number written in decimal, within bounds; the environment knows only strings. */
const whole = (what: string, min: number, max: number) =>
  z.string().transform((text, context) => {
    const value = /^-?\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    context.addIssue({ code: "custom", message: `must be ${what}: a whole number from ${min} to ${max}` });
    return z.NEVER;
  });
const flag = z
  .enum(["true", "false"], { error: "must be true or false" })
  .transform((text) => text === "true");
const text = z.string().min(1, "must not be empty");
const days = whole("a number of days", 1, 36_500).optional();
const notYet = (engine: string) =>
  z
    .never({ error: `this version runs on its embedded engines; ${engine} is not supported yet, unset it` })
    .optional();

/** Every setting of the service, read from the environment once. The README's table is made to match. */
const Environment = z.object({
  HOST: text.default("127.0.0.1"),
  PORT: whole("a port", 0, 65_535).default(8080),
  DATA_DIR: text.default("./data"),
  DEMO: flag.default(true),
  BOOTSTRAP_API_KEY: text.optional(),
  SECRET_KEY: text.optional(),
  LOG_LEVEL: z
    .enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"], {
      error: "must be fatal, error, warn, info, debug, trace or silent",
    })
    .default("warn"),
  TLS_CERT_FILE: text.optional(),
  TLS_KEY_FILE: text.optional(),
  TRUST_PROXY: flag.default(false),
  PARTITIONS: whole("a number of partitions", 1, 256).optional(),
  LOG_MAX_BYTES: whole("a number of bytes", 1024 ** 2, 1024 * GIB).default(4 * GIB),
  LOG_TRIM: flag.default(true),
  RETENTION_RAW_DAYS: days,
  RETENTION_1M_DAYS: days,
  RETENTION_1H_DAYS: days,
  MAX_SIGNALS: whole("a number of signals", 1, 10_000_000).default(1_000_000),
  SOURCES_ALLOW_PRIVATE: flag.default(true),
  SOURCE_MAX_PAYLOAD_BYTES: whole("a number of bytes", 1024, 64 * 1024 ** 2).default(1024 ** 2),
  KAFKA_BROKERS: notYet("Kafka"),
  CLICKHOUSE_URL: notYet("a ClickHouse server"),
  DATABASE_URL: notYet("PostgreSQL"),
});
export type Config = z.infer<typeof Environment>;

/** One wrong setting: its variable, what it holds (nothing secret), and what is wrong with it. */
export interface ConfigMistake {
  readonly variable: string;
  readonly message: string;
}
export type ConfigOutcome = { readonly config: Config } | { readonly mistakes: readonly ConfigMistake[] };

const SECRET = new Set(["BOOTSTRAP_API_KEY", "SECRET_KEY"]);
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/;

const Transport = Environment.pick({
  HOST: true,
  TLS_CERT_FILE: true,
  TLS_KEY_FILE: true,
  TRUST_PROXY: true,
});

const transportMistakes = (config: z.infer<typeof Transport>): ConfigMistake[] => {
  const mistakes: ConfigMistake[] = [];
  const tls = [config.TLS_CERT_FILE, config.TLS_KEY_FILE].filter((file) => file !== undefined).length;
  if (tls === 1) {
    const missing = config.TLS_CERT_FILE === undefined ? "TLS_CERT_FILE" : "TLS_KEY_FILE";
    mistakes.push({ variable: missing, message: "TLS needs both TLS_CERT_FILE and TLS_KEY_FILE" });
  }
  if (!LOOPBACK.test(config.HOST) && tls === 0 && config.TRUST_PROXY !== true) {
    const ways = "set TLS_CERT_FILE and TLS_KEY_FILE, or TRUST_PROXY=true behind a proxy that speaks HTTPS";
    mistakes.push({
      variable: "HOST",
      message: `${config.HOST} is no loopback address, and API keys must not travel in clear text: ${ways}`,
    });
  }
  return mistakes;
};

const shown = (variable: string, value: string | undefined): string =>
  value === undefined || SECRET.has(variable) ? "" : `${JSON.stringify(value.slice(0, 80))} `;

/** Checks the whole environment and names every mistake at once. An empty variable counts as not set. */
export const readConfig = (environment: Readonly<Record<string, string | undefined>>): ConfigOutcome => {
  const set = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ""));
  const outcome = Environment.safeParse(set);
  const wrong = outcome.success ? [] : outcome.error.issues.map((issue) => String(issue.path[0]));
  const mistakes = outcome.success
    ? []
    : outcome.error.issues.map((issue) => {
        const variable = String(issue.path[0]);
        return { variable, message: `${shown(variable, set[variable])}${issue.message}` };
      });
  // The transport is checked even beside other mistakes, so that one start names them all.
  const transport = Transport.safeParse(set);
  const more = transport.success ? transportMistakes(transport.data) : [];
  const all = [...mistakes, ...more.filter(({ variable }) => !wrong.includes(variable))];
  return outcome.success && all.length === 0 ? { config: outcome.data } : { mistakes: all };
};
