import { z } from "zod";
import { Email } from "../../schemas/email.ts";
import { AUDIT_DAYS } from "../domain/access/limits.ts";
import { isApiKey } from "../domain/api-key.ts";
import { isLoopback } from "../domain/loopback.ts";
import type { OutsideProviderSettings } from "../domain/outside-settings.ts";
import { parseSecretKey, SecretKeyError } from "../domain/secret-key.ts";
import type { SmtpSettings } from "../domain/smtp-settings.ts";
import { type DeclaredFile, readDeclaredFile } from "./declared.ts";
import { type EngineSettings, engineFields, readEngines, SWITCHES } from "./engines.ts";
import { type ConfigMistake, flag, oneOf, text, type Variables, whole } from "./fields.ts";
import { type ReadFile, withSecretFiles } from "./files.ts";
import { mailFields, readMail } from "./mail.ts";
import { outsideFields, outsideSecrets, readOutside } from "./outside.ts";
import { readTls, type Tls } from "./tls.ts";

const GIB = 1024 ** 3;

const days = whole("a number of days", 1, 36_500).optional();

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

const publicUrl = z.string().transform((given, context) => {
  const url = URL.parse(given);
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname));
  const isPlain = url?.pathname === "/" && url.search === "" && url.hash === "" && url.username === "";
  if (url !== null && isSafe && isPlain) return url.origin;
  context.addIssue({ code: "custom", message: "must be like https://signals.example.org, without a path" });
  return z.NEVER;
});

/** Every setting of the service, read from the environment once. "All settings" of deploy/README.md is made to match. */
const Environment = z.object({
  HOST: text.default("127.0.0.1"),
  PORT: whole("a port", 0, 65_535).default(8080),
  DATA_DIR: text.default("./data"),
  DEMO: flag.optional(),
  BOOTSTRAP_API_KEY: z.string().refine(isApiKey, API_KEY_FORM).optional(),
  CONFIG_FILE: text.optional(),
  SECRET_KEY: secretKey.optional(),
  LOG_LEVEL: oneOf(["fatal", "error", "warn", "info", "debug", "trace", "silent"]).default("warn"),
  TLS_CERT_FILE: text.optional(),
  TLS_KEY_FILE: text.optional(),
  TRUST_PROXY: flag.default(false),
  PUBLIC_URL: publicUrl.optional(),
  OWNER_EMAIL: Email.optional(),
  PARTITIONS: whole("a number of partitions", 1, 256).optional(),
  LOG_MAX_BYTES: whole("a number of bytes", 1024 ** 2, 1024 * GIB).default(4 * GIB),
  LOG_TRIM: flag.default(true),
  RETENTION_RAW_DAYS: days,
  RETENTION_1M_DAYS: days,
  RETENTION_1H_DAYS: days,
  RATE_LIMIT_REQUESTS: whole("a number of requests", 1, 1_000_000_000).default(600),
  RATE_LIMIT_SECONDS: whole("a number of seconds", 1, 86_400).default(10),
  MAX_SIGNALS: whole("a number of signals", 1, 10_000_000).default(1_000_000),
  MAX_RULES: whole("a number of rules", 1, 100_000).default(1_000),
  SOURCES_ALLOW_PRIVATE: flag.default(true),
  WEBHOOK_ALLOW_PRIVATE: flag.default(false),
  WEBHOOK_HISTORY_DAYS: whole("a number of days", 1, 36_500).default(30),
  AUDIT_DAYS: whole("a number of days", 1, 36_500).default(AUDIT_DAYS),
  SOURCE_MAX_PAYLOAD_BYTES: whole("a number of bytes", 1024, 64 * 1024 ** 2).default(1024 ** 2),
  ...mailFields,
  ...outsideFields,
  ...engineFields,
});

/** What runs in this process: all five workers, or one. */
export type Role = "all" | "ingest" | "evaluate" | "record" | "deliver" | "serve";
export const hasApi = (role: Role): boolean => role === "all" || role === "serve";

/** The settings, with the contents of the files that they name. */
export type Config = Omit<
  z.infer<typeof Environment>,
  "DEMO" | "CONFIG_FILE" | keyof typeof engineFields | keyof typeof mailFields | keyof typeof outsideFields
> & {
  readonly DEMO: boolean;
  /** Null: e-mails are kept in the data directory, where there is one. */
  readonly mail: SmtpSettings | null;
  /** Who else may vouch for people, for who serves pages. */
  readonly outside: readonly OutsideProviderSettings[];
  readonly tls?: Tls;
  /** What CONFIG_FILE wants, for who serves the API; null where none is named. */
  readonly declared: DeclaredFile | null;
  readonly engines: EngineSettings;
};
export type ConfigOutcome = { readonly config: Config } | { readonly mistakes: readonly ConfigMistake[] };
export type { ConfigMistake } from "./fields.ts";

const SECRET = new Set([
  "BOOTSTRAP_API_KEY",
  "SECRET_KEY",
  "SMTP_URL",
  "KAFKA_PASSWORD",
  "DATABASE_URL",
  "CLICKHOUSE_URL",
  "CLICKHOUSE_PASSWORD",
]);
/** Every variable that is read, for what is written beside the program: files that set them, and their tests. */
export const VARIABLES: ReadonlySet<string> = new Set([
  ...Object.keys(Environment.shape),
  ...[...SECRET].map((name) => `${name}_FILE`),
]);

const TRANSPORT = {
  HOST: true,
  TLS_CERT_FILE: true,
  TLS_KEY_FILE: true,
  TRUST_PROXY: true,
  PUBLIC_URL: true,
} as const;
const Transport = Environment.pick(TRANSPORT);

const hostMistakes = (host: string, isProtected: boolean): ConfigMistake[] => {
  if (isLoopback(host) || isProtected) return [];
  const ways = "set TLS_CERT_FILE and TLS_KEY_FILE, or TRUST_PROXY=true behind a proxy that speaks HTTPS";
  const message = `${host} is no loopback address, and API keys must not travel in clear text: ${ways}`;
  return [{ variable: "HOST", message }];
};

/** People elsewhere are sent links, and their browsers keep a session, for one address: only its owner knows which. */
const addressMistakes = (
  { HOST, TRUST_PROXY, PUBLIC_URL }: z.infer<typeof Transport>,
  role: Role,
): ConfigMistake[] => {
  if (!hasApi(role) || PUBLIC_URL !== undefined || (isLoopback(HOST) && !TRUST_PROXY)) return [];
  const message = "is not set: where people reach the service, such as https://signals.example.org";
  return [{ variable: "PUBLIC_URL", message }];
};

const checkTransport = (
  set: Variables,
  role: Role,
  readFile: ReadFile,
): { mistakes: ConfigMistake[]; tls?: Tls } => {
  const parsed = Transport.safeParse(set);
  // Its own mistakes are told with all others.
  if (!parsed.success) return { mistakes: [] };
  const { HOST, TLS_CERT_FILE, TLS_KEY_FILE, TRUST_PROXY } = parsed.data;
  const cert = ["TLS_CERT_FILE", TLS_CERT_FILE] as const;
  const key = ["TLS_KEY_FILE", TLS_KEY_FILE] as const;
  const tls = readTls({ cert, key }, readFile);
  // Other workers answer only how they are: no key is ever sent to them.
  const isProtected =
    !hasApi(role) || TRUST_PROXY || TLS_CERT_FILE !== undefined || TLS_KEY_FILE !== undefined;
  const exposed = hostMistakes(HOST, isProtected);
  const host = exposed.length > 0 ? exposed : addressMistakes(parsed.data, role);
  return "mistakes" in tls ? { mistakes: [...host, ...tls.mistakes] } : { mistakes: host, ...tls };
};

/** What must be shared must be given: a worker alone has no data directory, and a second process has another. */
const roleMistakes = (set: Variables, role: Role): ConfigMistake[] => {
  const missing = SWITCHES.filter(({ variable }) => role !== "all" && set[variable] === undefined);
  const engines = missing.map(({ variable, engine }) => ({
    variable,
    message: `is not set: a worker alone needs ${engine} (npm start runs all workers without)`,
  }));
  if (set.SECRET_KEY !== undefined || (role === "all" && set.DATABASE_URL === undefined)) return engines;
  const message =
    "is not set: all processes on one database need the same, for example from: openssl rand -base64 32";
  return [...engines, { variable: "SECRET_KEY", message }];
};

const shown = (variable: string, value: string | undefined): string =>
  value === undefined || SECRET.has(variable) ? "" : `${JSON.stringify(value.slice(0, 80))} `;

/**
 * Checks the whole environment for what is to run in this process, with the files that it names, and names every mistake
 * at once. An empty variable counts as not set.
 */
export const readConfig = (environment: Variables, readFile: ReadFile, role: Role = "all"): ConfigOutcome => {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ""));
  const { set, mistakes: unread } = withSecretFiles(given, [...SECRET, ...outsideSecrets(given)], readFile);
  const outcome = Environment.safeParse(set);
  const issues = outcome.success ? [] : outcome.error.issues;
  const wrong = issues.map(({ path, message }) => {
    const variable = String(path[0]);
    return { variable, message: `${shown(variable, set[variable])}${message}` };
  });
  const { mistakes: exposed, ...tls } = checkTransport(set, role, readFile);
  const { mistakes: engineMistakes, engines } = readEngines(set, readFile);
  const { mistakes: mailMistakes, mail } = readMail(set);
  const { mistakes: outsideMistakes, outside } = readOutside(hasApi(role) ? set : {});
  const { mistakes: fileMistakes, declared } = readDeclaredFile(hasApi(role) ? set : {}, readFile);
  const mistakes = [
    ...unread,
    ...wrong,
    ...exposed,
    ...engineMistakes,
    ...mailMistakes,
    ...outsideMistakes,
    ...roleMistakes(set, role),
    ...fileMistakes,
  ];
  if (!outcome.success || engines === null || mistakes.length > 0) return { mistakes };
  const DEMO =
    outcome.data.DEMO ?? (role === "all" && Object.values(engines).every((engine) => engine === null));
  // Threads are given a copy of the settings: a URL has none.
  const { CONFIG_FILE: _, SMTP_URL: _url, ...settings } = outcome.data;
  return { config: { ...settings, DEMO, engines, mail, outside, declared, ...tls } };
};
