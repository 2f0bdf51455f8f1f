import { Api } from "./api.ts";
import { newApiKey, Service } from "./service-process.ts";
import type { Stack } from "./stack.ts";

export const ROLES = ["serve", "deliver", "record", "evaluate", "ingest"] as const;
export type Role = (typeof ROLES)[number];

/** One worker in a process of its own, and where it tells how it is. */
interface Running {
  readonly role: Role;
  readonly service: Service;
  /** Empty until it is ready. */
  readonly url: string;
}

/** Workers on the engines of a stack, several of each role. */
export class Fleet {
  readonly #stack: Stack;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #apiKey = newApiKey();
  readonly #running: Running[] = [];
  /** What those that ended had printed to stderr. */
  readonly #left: string[] = [];

  private constructor(stack: Stack, environment: Readonly<Record<string, string>>) {
    this.#stack = stack;
    this.#environment = environment;
  }

  static async start(
    stack: Stack,
    each: number,
    environment: Readonly<Record<string, string>>,
  ): Promise<Fleet> {
    const fleet = new Fleet(stack, environment);
    try {
      await Promise.all(ROLES.flatMap((role) => Array.from({ length: each }, () => fleet.add(role))));
      return fleet;
    } catch (error) {
      await fleet.remove();
      throw error;
    }
  }

  /** Starts one more; resolves when it is ready. */
  async add(role: Role): Promise<Running> {
    const service = new Service({
      dataDirectory: "/nonexistent",
      worker: role,
      ...(role === "serve" ? { apiKey: this.#apiKey } : {}),
      environment: { ...this.#stack.environment, DEMO: "false", ...this.#environment },
    });
    const running = { role, service, url: "" };
    this.#running.push(running);
    running.url = await service.ready();
    return running;
  }

  of(role: Role): readonly Running[] {
    return this.#running.filter((worker) => worker.role === role);
  }

  /** By the `nth` of the workers that serve. */
  api(nth = 0): Api {
    const serving = this.of("serve").at(nth);
    if (serving === undefined) throw new Error("no worker serves");
    return new Api(serving.url, this.#apiKey);
  }

  async kill(worker: Running): Promise<void> {
    this.#running.splice(this.#running.indexOf(worker), 1);
    await worker.service.end("SIGKILL");
    this.#left.push(worker.service.stderr);
  }

  /** Those that have ended without being told to. */
  get lost(): readonly Running[] {
    return this.#running.filter(({ service }) => !service.running);
  }

  /** What all of them have printed to stderr. */
  get printed(): string {
    return [...this.#left, ...this.#running.map(({ service }) => service.stderr)].join("");
  }

  /** Ends all of them as an orchestrator does; gives their exit codes. */
  stop(): Promise<(number | null)[]> {
    return Promise.all(this.#running.map(({ service }) => service.end("SIGTERM")));
  }

  async remove(): Promise<void> {
    await Promise.all(this.#running.map(({ service }) => service.end("SIGKILL")));
  }
}
