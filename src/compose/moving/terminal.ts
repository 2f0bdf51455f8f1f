import type { Clock } from "../../ports/clock.ts";

/** On a screen the last line is written anew; where lines are kept, few are written. */
const SCREEN_EVERY_MS = 1_000;
const KEPT_EVERY_MS = 10_000;

export interface Screen {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

/** One thing that is being done. */
export interface Step {
  /** How far it is; told now and then. */
  at(text: string): void;
  /** What came of it. */
  done(text: string): void;
}

export interface Terminal {
  say(text: string): void;
  step(name: string): Step;
}

const WIDTH = 16;

/** What a person sees of a long work: each step by its name, how far it is, and what came of it. */
export const terminal = (screen: Screen, clock: Clock): Terminal => {
  const isScreen = screen.isTTY === true;
  const say = (text: string) => void screen.write(`${text}\n`);
  return {
    say,
    step: (name) => {
      const everyMs = isScreen ? SCREEN_EVERY_MS : KEPT_EVERY_MS;
      const line = (text: string) => `  ${name.padEnd(WIDTH)}${text}`;
      let toldAt = clock.monotonic();
      return {
        at: (text) => {
          if (clock.monotonic() - toldAt < everyMs) return;
          toldAt = clock.monotonic();
          screen.write(isScreen ? `\r\x1b[K${line(text)}` : `${line(text)}\n`);
        },
        done: (text) => say(`${isScreen ? "\r\x1b[K" : ""}${line(text)}`),
      };
    },
  };
};

/** 1234567 as people read it. */
export const counted = (count: number): string => count.toLocaleString("en-US");
