import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";

/** A process of the bench that answers each order with a message. */
export class BenchChild<Order extends object> {
  readonly #child: ChildProcess;

  constructor(file: string, parameters: object = {}) {
    this.#child = fork(new URL(file, import.meta.url), [JSON.stringify(parameters)], {
      execArgv: [
        "--disable-warning=ExperimentalWarning",
        ...process.execArgv.filter((flag) => flag.includes("prof")),
      ],
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  order(order: Order): void {
    this.#child.send(order);
  }

  /** The next message; what came unasked for, if no order is given. */
  async answer(order?: Order): Promise<unknown> {
    const given = new AbortController();
    const { signal } = given;
    const answered = once(this.#child, "message", { signal });
    const ended = once(this.#child, "exit", { signal }).then(([code]) => {
      throw new Error(`process ${this.pid} of the bench ended with ${code}`);
    });
    if (order !== undefined) this.order(order);
    try {
      const [message] = await Promise.race([answered, ended]);
      return message;
    } finally {
      ended.catch(() => undefined);
      answered.catch(() => undefined);
      given.abort();
    }
  }

  async exited(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, "exit");
  }

  end(): void {
    this.#child.kill("SIGKILL");
  }
}
