import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";
import { inherited } from "./inherited.ts";

const PROGRAM = new URL("../../src/cli/signals.js", import.meta.url).pathname;

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** `signals …` in a process of its own, as a user starts it. */
export class CommandLine {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<Ended>;
  #out = "";
  #err = "";

  constructor(words: readonly string[], environment: Readonly<Record<string, string>>, program = PROGRAM) {
    this.#child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", program, ...words], {
      env: { ...inherited, ...environment },
    });
    this.#child.stdout.setEncoding("utf8").on("data", (text: string) => {
      this.#out += text;
    });
    this.#child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#err += text;
    });
    this.#child.stdin.on("error", () => undefined);
    this.ended = once(this.#child, "close").then(([code]: unknown[]) => ({
      code: typeof code === "number" ? code : null,
      out: this.#out,
      err: this.#err,
    }));
    onTestFinished(() => void this.#child.kill("SIGKILL"));
  }

  get out(): string {
    return this.#out;
  }
  get err(): string {
    return this.#err;
  }
  get lines(): string[] {
    return this.#out.split("\n").slice(0, -1);
  }

  /** Gives what it asks for, and the end of it. */
  type(text: string): this {
    this.#child.stdin.end(text);
    return this;
  }

  /** Ctrl-C. */
  interrupt(): void {
    this.#child.kill("SIGINT");
  }

  /** As `| head` does when it has enough. */
  stopReading(): void {
    this.#child.stdout.destroy();
  }
}
