import type { ConfigMistake } from "../config/config.ts";

export interface Ready {
  readonly version: string;
  readonly url: string;
  readonly dataDirectory: string;
  /** Null when an earlier start has shown it. */
  readonly apiKey: string | null;
  readonly startedInMs: number;
}

/** What a person sees when the service is up: where it is, the key, and a line to paste. */
export const readyText = ({ version, url, dataDirectory, apiKey, startedInMs }: Ready): string => {
  const key = apiKey ?? "the one shown at the first start (BOOTSTRAP_API_KEY adds another)";
  const bearer = apiKey ?? "$API_KEY";
  return [
    `Signal Optimization Service ${version} is ready (${(startedInMs / 1000).toFixed(1)} s)`,
    "",
    `  URL      ${url}`,
    `  API key  ${key}`,
    `  Data     ${dataDirectory}`,
    "",
    `  Try      curl -H "Authorization: Bearer ${bearer}" "${url}/v1/signals?limit=3"`,
    "  Stop     Ctrl-C",
    "",
  ].join("\n");
};

export const mistakesText = (mistakes: readonly ConfigMistake[]): string => {
  const width = Math.max(...mistakes.map(({ variable }) => variable.length));
  const count = mistakes.length === 1 ? "1 setting is" : `${mistakes.length} settings are`;
  const lines = mistakes.map(({ variable, message }) => `  ${variable.padEnd(width)}  ${message}`);
  return [`Signal Optimization Service cannot start: ${count} wrong.`, ...lines, ""].join("\n");
};

export const startErrorText = (message: string): string =>
  `Signal Optimization Service cannot start.\n${message.replaceAll(/^/gm, "  ")}\n`;
