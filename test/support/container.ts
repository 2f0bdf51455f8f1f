import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { until } from "./until.ts";

const run = promisify(execFile);
const START_MAX_MS = 120_000;

/** Runs a command of Docker's and gives what it prints. */
export const docker = async (...command: readonly string[]): Promise<string> =>
  (await run("docker", [...command])).stdout.trim();

/** Whether there is an engine that works: the command alone does not say so. */
export const dockerWorks = async (): Promise<boolean> => {
  try {
    await run("docker", ["info"], { timeout: 5_000 });
    return true;
  } catch {
    return false;
  }
};

/** A server in a container that tests may kill and start again. */
export abstract class Container {
  readonly id: string;
  #startedAtSeconds = 0;

  /** `id`: of a container that was created and not started. */
  constructor(id: string) {
    this.id = id;
  }

  /** Whether the server takes requests. */
  protected abstract ready(): Promise<boolean>;

  async start(): Promise<void> {
    this.#startedAtSeconds = Math.floor(Date.now() / 1_000) - 1;
    await docker("start", this.id);
    await until("the container's server to start", () => this.ready().catch(() => false), START_MAX_MS);
  }
  async kill(): Promise<void> {
    await this.end("KILL");
  }
  async freeze(): Promise<void> {
    await docker("pause", this.id);
  }
  async thaw(): Promise<void> {
    await docker("unpause", this.id);
  }
  async remove(): Promise<void> {
    await docker("rm", "-f", "-v", this.id);
  }

  /** What it has printed since its last start. */
  async printed(): Promise<string> {
    const { stdout, stderr } = await run("docker", [
      "logs",
      "--since",
      String(this.#startedAtSeconds),
      this.id,
    ]);
    return stdout + stderr;
  }

  protected async end(signal: string): Promise<void> {
    await docker("kill", "-s", signal, this.id).catch(() => undefined);
    await docker("wait", this.id);
  }
}
