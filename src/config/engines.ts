import { z } from "zod";
import { type ConfigMistake, type Outcome, text, type Variables, whole } from "./fields.ts";
import type { ReadFile } from "./files.ts";
import { type KafkaSettings, kafkaFields, kafkaOf } from "./kafka.ts";
import { readCa } from "./tls.ts";

/** A URL of one of the schemes. Where `clear`, it carries neither user nor password. */
const url = (schemes: readonly string[], clear: boolean) =>
  z.string().transform((given, context) => {
    const parsed = URL.canParse(given) ? new URL(given) : null;
    const message =
      parsed === null || !schemes.includes(parsed.protocol) || parsed.hostname === ""
        ? `must be a URL that begins with ${schemes.map((scheme) => `${scheme}//`).join(" or ")}`
        : clear && (parsed.username !== "" || parsed.password !== "")
          ? "must not carry a user or a password: they have variables of their own"
          : null;
    if (message === null) return given;
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  });

const identifier = z
  .string()
  .regex(/^[a-zA-Z_][a-zA-Z0-9_]{0,62}$/, "must be a name of letters, digits and underscores");

/** The variables of the engines beyond one machine. */
export const engineFields = {
  ...kafkaFields,
  DATABASE_URL: url(["postgres:", "postgresql:"], false).optional(),
  DATABASE_CA_FILE: text.optional(),
  DATABASE_CONNECTIONS: whole("a number of connections", 2, 1_000).default(10),
  CLICKHOUSE_URL: url(["http:", "https:"], true).optional(),
  CLICKHOUSE_USER: text.default("default"),
  CLICKHOUSE_PASSWORD: z.string().default(""),
  CLICKHOUSE_DATABASE: identifier.default("signals"),
  CLICKHOUSE_CLUSTER: identifier.optional(),
  CLICKHOUSE_CA_FILE: text.optional(),
};
const Engines = z.object(engineFields);
type EngineVariables = z.infer<typeof Engines>;

export interface PostgresSettings {
  readonly url: string;
  readonly ca: string | null;
  readonly connectionsMax: number;
}
export interface ClickHouseSettings {
  readonly url: string;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly cluster: string | null;
  readonly ca: string | null;
}

/** What was chosen for each port; null means embedded. */
export interface EngineSettings {
  readonly kafka: KafkaSettings | null;
  readonly postgres: PostgresSettings | null;
  readonly clickHouse: ClickHouseSettings | null;
}

/** Which variable switches an engine on, and how the others of that engine begin. */
export const SWITCHES = [
  { variable: "KAFKA_BROKERS", prefix: "KAFKA_", engine: "Kafka" },
  { variable: "DATABASE_URL", prefix: "DATABASE_", engine: "PostgreSQL" },
  { variable: "CLICKHOUSE_URL", prefix: "CLICKHOUSE_", engine: "ClickHouse" },
] as const;

/** A setting of an engine that is not used: its switch was forgotten, or meant to be off. */
const idle = (set: Variables): ConfigMistake[] =>
  SWITCHES.flatMap(({ variable: wanted, prefix, engine }) => {
    if (set[wanted] !== undefined) return [];
    const given = Object.keys(engineFields).filter(
      (name) => name.startsWith(prefix) && set[name] !== undefined,
    );
    const message = `has no effect: ${engine} is used when ${wanted} is set`;
    return given.map((variable) => ({ variable, message }));
  });

const postgresOf = (variables: EngineVariables, readFile: ReadFile): Outcome<PostgresSettings | null> => {
  const { DATABASE_URL: url, DATABASE_CA_FILE, DATABASE_CONNECTIONS: connectionsMax } = variables;
  if (url === undefined) return { settings: null };
  const ca = readCa("DATABASE_CA_FILE", DATABASE_CA_FILE, readFile);
  return "mistakes" in ca ? ca : { settings: { url, ca: ca.ca ?? null, connectionsMax } };
};

const clickHouseOf = (variables: EngineVariables, readFile: ReadFile): Outcome<ClickHouseSettings | null> => {
  const { CLICKHOUSE_URL: url, CLICKHOUSE_CA_FILE } = variables;
  if (url === undefined) return { settings: null };
  const ca = readCa("CLICKHOUSE_CA_FILE", CLICKHOUSE_CA_FILE, readFile);
  if ("mistakes" in ca) return ca;
  return {
    settings: {
      url,
      user: variables.CLICKHOUSE_USER,
      password: variables.CLICKHOUSE_PASSWORD,
      database: variables.CLICKHOUSE_DATABASE,
      cluster: variables.CLICKHOUSE_CLUSTER ?? null,
      ca: ca.ca ?? null,
    },
  };
};

/** What the engines' variables mean together, their files read. Variables wrong in themselves are told by the whole. */
export const readEngines = (
  set: Variables,
  readFile: ReadFile,
): { readonly engines: EngineSettings | null; readonly mistakes: readonly ConfigMistake[] } => {
  const unused = idle(set);
  const parsed = Engines.safeParse(set);
  if (!parsed.success) return { engines: null, mistakes: unused };
  const kafka = kafkaOf(parsed.data, readFile);
  const postgres = postgresOf(parsed.data, readFile);
  const clickHouse = clickHouseOf(parsed.data, readFile);
  if ("settings" in kafka && "settings" in postgres && "settings" in clickHouse) {
    const engines = {
      kafka: kafka.settings,
      postgres: postgres.settings,
      clickHouse: clickHouse.settings,
    };
    return { engines, mistakes: unused };
  }
  const wrong = [kafka, postgres, clickHouse].flatMap((read) => ("mistakes" in read ? read.mistakes : []));
  return { engines: null, mistakes: [...unused, ...wrong] };
};
