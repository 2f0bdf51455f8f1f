import type { ApiClient } from "../client/client.ts";
import { ApiError } from "../client/failures.ts";
import { shown } from "./terminal.ts";

/** Signals whose names are known at once; others are asked for as they appear. */
const KEPT_MAX = 100_000;

/** The names of signals, by their ids. */
export class Names {
  readonly #client: ApiClient;
  readonly #names = new Map<string, string>();

  constructor(client: ApiClient) {
    this.#client = client;
  }

  learn(id: string, name: string): void {
    if (this.#names.size < KEPT_MAX || this.#names.has(id)) this.#names.set(id, shown(name));
  }

  /** One page saves asking for each of the few signals that most have. */
  async learnSome(label: readonly string[] | undefined): Promise<void> {
    const query = { limit: 500, ...(label && { label: [...label] }) };
    const { signals } = await this.#client.get("/v1/signals", { params: { query } });
    for (const { id, name } of signals) this.learn(id, name);
  }

  /** The id itself where nobody knows the signal any more. */
  async of(id: string): Promise<string> {
    const known = this.#names.get(id);
    if (known !== undefined) return known;
    const name = await this.#ask(id);
    this.learn(id, name);
    return name;
  }

  async #ask(id: string): Promise<string> {
    try {
      return (await this.#client.get("/v1/signals/{id}", { params: { path: { id } } })).name;
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return id;
      throw error;
    }
  }
}
