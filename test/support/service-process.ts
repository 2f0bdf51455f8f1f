import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import packageFile from "../../package.json" with { type: "json" };
import { generateApiKey } from "../../src/domain/api-key.ts";
import { inherited } from "./inherited.ts";
import { until } from "./until.ts";

const ALL = new URL("../../workers/all.ts", import.meta.url).pathname;
const ONE = new URL("../../workers/worker.ts", import.meta.url).pathname;
/** How `npm start` starts it: settings of its memory, and flags of Node. */
const START = packageFile.scripts.start.split(" ");
const FLAGS = START.filter((word) => word.startsWith("--"));
const MEMORY = Object.fromEntries(
  START.filter((word) => /^[A-Z_]+=/.test(word)).map((word) => word.split("=")),
);
const READY = /is ready[\s\S]*(?:URL|Health)\s+(http\S+?)(?:\/health\/ready)?\s[\s\S]*Stop/;

/** Tests and benches ask again and again until something is so. */
export const RATE_LIMIT_REQUESTS = 1_000_000;

export interface ServiceOptions {
  readonly dataDirectory: string;
  /** The name of one worker; all of them if it is not given. */
  readonly worker?: string;
  /** In place of the program of all workers. */
  readonly program?: URL;
  readonly apiKey?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** The service as a user starts it, in a process of its own on a free port. */
export class Service {
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown>;
  #stdout = "";
  #stderr = "";

  constructor({ dataDirectory, worker, program, apiKey, environment = {} }: ServiceOptions) {
    const set = {
      DATA_DIR: dataDirectory,
      PORT: "0",
      RATE_LIMIT_REQUESTS: String(RATE_LIMIT_REQUESTS),
      ...MEMORY,
      ...(apiKey ? { BOOTSTRAP_API_KEY: apiKey } : {}),
      ...environment,
    };
    const started = worker === undefined ? [program?.pathname ?? ALL] : [ONE, worker];
    this.#child = spawn(process.execPath, [...FLAGS, ...started], {
      env: { ...inherited, ...set },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#closed = once(this.#child, "close");
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.#stdout += text;
    });
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr += text;
      if (process.env.TEST_LOG) process.stderr.write(text);
    });
  }

  /** Everything printed so far: the banner on stdout, log lines on stderr. */
  get stdout(): string {
    return this.#stdout;
  }
  get stderr(): string {
    return this.#stderr;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Resolves with the URL once the banner shows it; fails with what was printed if the process ends before. */
  async ready(): Promise<string> {
    return until(
      "the service to be ready",
      () => {
        if (!this.running) throw new Error(`the service ended:\n${this.#stdout}\n${this.#stderr}`);
        return READY.exec(this.#stdout)?.[1];
      },
      60_000,
    );
  }

  /** As a machine that hangs: it does nothing, and its connections stay. */
  freeze(): void {
    this.#child.kill("SIGSTOP");
  }
  thaw(): void {
    this.#child.kill("SIGCONT");
  }

  /** Sends a signal and resolves with the exit code, or null after a signal's death. */
  async end(signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> {
    if (this.running) this.#child.kill(signal);
    return this.exited();
  }

  /** Resolves with the exit code once the process has ended and all that it printed has been read. */
  async exited(): Promise<number | null> {
    await this.#closed;
    return this.#child.exitCode;
  }
}

export const newApiKey = (): string => generateApiKey(randomBytes(32));
