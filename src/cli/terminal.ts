import { styleText } from "node:util";

const number = new Intl.NumberFormat("en-US");
/** `1 silence`, `1,200 silences`. */
export const counted = (count: number, what: string): string =>
  `${number.format(count)} ${what}${count === 1 ? "" : "s"}`;

/** What the program writes to: a terminal, a pipe or a file. */
export interface Writable {
  write(text: string, done?: () => void): unknown;
  readonly isTTY?: boolean;
}

type Style = Exclude<Parameters<typeof styleText>[0], readonly unknown[]>;

/** What is allowed, but likely not meant. */
interface Warning {
  readonly path: string;
  readonly message: string;
}

/** Where output goes, and how: answers to `out`, everything else to `err`. */
export interface Terminal {
  /** A line of the answer; resolves when more may be written. */
  readonly print: (line: string) => Promise<void>;
  /** A line about the answer, or of why there is none. */
  readonly note: (line: string) => void;
  readonly warn: (warnings: readonly Warning[]) => void;
  readonly paint: (style: Style, text: string) => string;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: names come from senders; what they hold must not steer a terminal.
const CONTROL = /[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;
/** A text from elsewhere, fit to be shown. */
export const shown = (text: string): string => text.replaceAll(CONTROL, "\ufffd");

/** `NO_COLOR` (https://no-color.org) and what is no terminal get no colours. */
export const terminal = (out: Writable, err: Writable, environment: NodeJS.ProcessEnv): Terminal => {
  const hasColours = out.isTTY === true && !environment.NO_COLOR && environment.TERM !== "dumb";
  const note = (line: string) => void err.write(`${line}\n`);
  const paint = (style: Style, text: string) =>
    hasColours ? styleText(style, text, { validateStream: false }) : text;
  return {
    // Also when nobody reads any more: whoever prints then looks at `stop`.
    print: (line) => new Promise((resolve) => out.write(`${line}\n`, () => resolve())),
    note,
    warn: (warnings) => {
      for (const { path, message } of warnings)
        note(`${paint("yellow", "warning:")} ${shown(path === "" ? message : `${path}: ${message}`)}`);
    },
    paint,
  };
};
