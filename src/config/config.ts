import { z } from "zod";
import { isApiKey } from "../domain/api-key.ts";
import { parseSecretKey, SecretKeyError } from "../domain/secret-key.ts";
import { type ReadFile, readTls, type Tls } from "./tls.ts";

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

const API_KEY_FORM = 'is no API key: "sos_", 32 characters, and a checksum of 6';
const secretKey = z.string().transform((text, context) => {
  try {
    return parseSecretKey(text, "it");
  } catch (error) {
    if (!(error instanceof SecretKeyError)) throw error;
    context.addIssue({ code: "custom", message: error.message });
    return z.NEVER;
  }
});

/** Every setting of the service, read from the environment once. The README's table is made to match. */
const Environment = z.object({
  HOST: text.default("127.0.0.1"),
  PORT: whole("a port", 0, 65_535).default(8080),
  DATA_DIR: text.default("./data"),
  DEMO: flag.default(true),
  BOOTSTRAP_API_KEY: z.string().refine(isApiKey, API_KEY_FORM).optional(),
  SECRET_KEY: secretKey.optional(),
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
/** The settings, and the contents of the TLS files if there are any. */
export type Config = z.infer<typeof Environment> & { readonly tls?: Tls };

/** One wrong setting: its variable, what it holds (nothing secret), and what is wrong with it. */
export interface ConfigMistake {
  readonly variable: string;
  readonly message: string;
}
type Variables = Readonly<Record<string, string | undefined>>;
export type ConfigOutcome = { readonly config: Config } | { readonly mistakes: readonly ConfigMistake[] };

const SECRET = new Set(["BOOTSTRAP_API_KEY", "SECRET_KEY"]);
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/;

const TRANSPORT = { HOST: true, TLS_CERT_FILE: true, TLS_KEY_FILE: true, TRUST_PROXY: true } as const;
const Transport = Environment.pick(TRANSPORT);

const hostMistakes = (host: string, isProtected: boolean): ConfigMistake[] => {
  if (LOOPBACK.test(host) || isProtected) return [];
  const ways = "set TLS_CERT_FILE and TLS_KEY_FILE, or TRUST_PROXY=true behind a proxy that speaks HTTPS";
  const message = `${host} is no loopback address, and API keys must not travel in clear text: ${ways}`;
  return [{ variable: "HOST", message }];
};

const checkTransport = (set: Variables, readFile: ReadFile): { mistakes: ConfigMistake[]; tls?: Tls } => {
  const parsed = Transport.safeParse(set);
  // Its own mistakes are told with all others.
  if (!parsed.success) return { mistakes: [] };
  const { HOST, TLS_CERT_FILE, TLS_KEY_FILE, TRUST_PROXY } = parsed.data;
  const tls = readTls(TLS_CERT_FILE, TLS_KEY_FILE, readFile);
  const isProtected = TRUST_PROXY || TLS_CERT_FILE !== undefined || TLS_KEY_FILE !== undefined;
  const host = hostMistakes(HOST, isProtected);
  return "mistakes" in tls ? { mistakes: [...host, ...tls.mistakes] } : { mistakes: host, ...tls };
};

const shown = (variable: string, value: string | undefined): string =>
  value === undefined || SECRET.has(variable) ? "" : `${JSON.stringify(value.slice(0, 80))} `;

/** Checks the whole environment, TLS files included, and names every mistake at once. An empty variable counts as not set. */
export const readConfig = (environment: Variables, readFile: ReadFile): ConfigOutcome => {
  const set = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ""));
  const outcome = Environment.safeParse(set);
  const issues = outcome.success ? [] : outcome.error.issues;
  const mistakes = issues.map(({ path, message }) => {
    const variable = String(path[0]);
    return { variable, message: `${shown(variable, set[variable])}${message}` };
  });
  const transport = checkTransport(set, readFile);
  const all = [...mistakes, ...transport.mistakes];
  if (!outcome.success || all.length > 0) return { mistakes: all };
  return { config: { ...outcome.data, ...(transport.tls === undefined ? {} : { tls: transport.tls }) } };
};
