import type { KeptMail } from "../../schemas/mailbox.ts";
import type { Config, ConfigMistake, Role } from "../config/config.ts";
import type { DataDirectory } from "./data-directory.ts";
import type { Prepared } from "./prepare.ts";

export interface Ready {
  readonly version: string;
  readonly url: string;
  /** Where the data is. */
  readonly data: string;
  /** The key made at this start; null when there is one that was given, or shown before. */
  readonly apiKey: string | null;
  /** BOOTSTRAP_API_KEY is set: its value is its owner's to show. */
  readonly keyGiven: boolean;
  /** The link by which the first owner comes in; null where there is one, or it was sent. */
  readonly owner: string | null;
  readonly applied: Prepared["applied"];
  readonly startedInMs: number;
}

const appliedText = ({ path, created, changed, refused }: NonNullable<Prepared["applied"]>): string => {
  const refusals = refused === 0 ? "" : `, ${refused} refused (the log says why)`;
  return `${path}: ${created} created, ${changed} changed${refusals}`;
};

/** What a person sees when the service is up: where it is, the key, and a line to paste. */
export const readyText = (ready: Ready): string => {
  const { version, url, data, apiKey, keyGiven, owner, applied, startedInMs } = ready;
  const known = keyGiven ? "the one in BOOTSTRAP_API_KEY" : "the one shown at the first start";
  const bearer = apiKey ?? (keyGiven ? "$BOOTSTRAP_API_KEY" : "$API_KEY");
  return [
    `Signal Optimization Service ${version} is ready (${(startedInMs / 1000).toFixed(1)} s)`,
    "",
    `  URL      ${url}`,
    `  API key  ${apiKey === null ? known : `${apiKey}  (shown only now: keep it)`}`,
    ...(owner === null ? [] : [`  Owner    ${owner}  (set up your sign-in)`]),
    `  Data     ${data}`,
    ...(applied === null ? [] : [`  Config   ${appliedText(applied)}`]),
    "",
    `  Try      curl -H "Authorization: Bearer ${bearer}" "${url}/v1/signals?limit=3"`,
    "  Stop     Ctrl-C",
    "",
    "",
  ].join("\n");
};

/** What the terminal shows of an e-mail that is kept instead of sent, with the link in it to follow. */
export const mailText = ({ to, subject, text }: KeptMail): string => {
  const [link] = /https?:\/\/\S+/.exec(text) ?? [];
  return [`  Mail     ${to}: ${subject}`, ...(link === undefined ? [] : [`           ${link}`]), ""].join(
    "\n",
  );
};

/** The engines in use, in a line; no more of an address than its host. */
export const placesText = (
  { engines: { kafka, postgres, clickHouse } }: Config,
  directory: DataDirectory | null,
): string =>
  [
    directory?.path,
    kafka === null ? undefined : `Kafka ${kafka.brokers.join(",")}`,
    clickHouse === null ? undefined : `ClickHouse ${new URL(clickHouse.url).host}`,
    postgres === null ? undefined : `PostgreSQL ${new URL(postgres.url).host}`,
  ]
    .filter((place) => place !== undefined)
    .join(" · ");

interface WorkerReady extends Pick<Ready, "version" | "url" | "data" | "startedInMs"> {
  readonly role: Role;
}

/** What a person sees when a worker that runs alone is up. */
export const workerReadyText = ({ version, role, url, data, startedInMs }: WorkerReady): string =>
  [
    `Signal Optimization Service ${version}: ${role} is ready (${(startedInMs / 1000).toFixed(1)} s)`,
    "",
    `  Health   ${url}/health/ready`,
    `  Data     ${data}`,
    "  Stop     Ctrl-C",
    "",
    "",
  ].join("\n");

export const mistakesText = (mistakes: readonly ConfigMistake[], usableKey: string): string => {
  const width = Math.max(...mistakes.map(({ variable }) => variable.length));
  const count = mistakes.length === 1 ? "1 mistake" : `${mistakes.length} mistakes`;
  const lines = mistakes.map(({ variable, message }) => `  ${variable.padEnd(width)}  ${message}`);
  const isKeyWrong = mistakes.some(({ variable }) => variable === "BOOTSTRAP_API_KEY");
  const help = isKeyWrong ? [`  An API key made just now that you may use: ${usableKey}`] : [];
  return [`Signal Optimization Service cannot start: ${count} in its settings.`, ...lines, ...help, ""].join(
    "\n",
  );
};

export const startErrorText = (message: string): string =>
  `Signal Optimization Service cannot start.\n${message.replaceAll(/^/gm, "  ")}\n`;
