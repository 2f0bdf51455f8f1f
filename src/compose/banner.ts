import type { ConfigMistake } from "../config/config.ts";

export interface Ready {
  readonly version: string;
  readonly url: string;
  readonly dataDirectory: string;
  /** The key made at this start; null when there is one that was given, or shown before. */
  readonly apiKey: string | null;
  /** BOOTSTRAP_API_KEY is set: its value is its owner's to show. */
  readonly keyGiven: boolean;
  readonly startedInMs: number;
}

/** What a person sees when the service is up: where it is, the key, and a line to paste. */
export const readyText = ({ version, url, dataDirectory, apiKey, keyGiven, startedInMs }: Ready): string => {
  const known = keyGiven ? "the one in BOOTSTRAP_API_KEY" : "the one shown at the first start";
  const bearer = apiKey ?? (keyGiven ? "$BOOTSTRAP_API_KEY" : "$API_KEY");
  return [
    `Signal Optimization Service ${version} is ready (${(startedInMs / 1000).toFixed(1)} s)`,
    "",
    `  URL      ${url}`,
    `  API key  ${apiKey === null ? known : `${apiKey}  (shown only now: keep it)`}`,
    `  Data     ${dataDirectory}`,
    "",
    `  Try      curl -H "Authorization: Bearer ${bearer}" "${url}/v1/signals?limit=3"`,
    "  Stop     Ctrl-C",
    "",
    "",
  ].join("\n");
};

export const mistakesText = (mistakes: readonly ConfigMistake[], usableKey: string): string => {
  const width = Math.max(...mistakes.map(({ variable }) => variable.length));
  const count = mistakes.length === 1 ? "1 setting is" : `${mistakes.length} settings are`;
  const lines = mistakes.map(({ variable, message }) => `  ${variable.padEnd(width)}  ${message}`);
  const isKeyWrong = mistakes.some(({ variable }) => variable === "BOOTSTRAP_API_KEY");
  const help = isKeyWrong ? [`  An API key made just now that you may use: ${usableKey}`] : [];
  return [`Signal Optimization Service cannot start: ${count} wrong.`, ...lines, ...help, ""].join("\n");
};

export const startErrorText = (message: string): string =>
  `Signal Optimization Service cannot start.\n${message.replaceAll(/^/gm, "  ")}\n`;
