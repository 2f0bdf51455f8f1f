import type { ApiClient } from "../client/client.ts";
import type { Terminal } from "./terminal.ts";

/** What a command works with. */
export interface Context {
  readonly terminal: Terminal;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Aborted by Ctrl-C, or when nobody reads the output any more. */
  readonly stop: AbortSignal;
  /** The service that the environment names; throws `UsageError` where it names none. */
  readonly client: () => ApiClient;
  /** What a file holds; `-` is standard input. */
  readonly read: (path: string) => Promise<string>;
}

/** How a command ended: as diff and grep have it. */
export const EXIT = { ok: 0, no: 1, trouble: 2 } as const;
export type Exit = (typeof EXIT)[keyof typeof EXIT];

/** The one who called has to change something before it can work. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly advice: string;
  /** Each of several mistakes. */
  readonly details: readonly string[];

  constructor(message: string, advice: string, details: readonly string[] = []) {
    super(message);
    this.advice = advice;
    this.details = details;
  }
}

/** Does the work of a command, and keeps how it ended. */
export type Run = (work: (context: Context) => Promise<Exit>) => Promise<void>;
