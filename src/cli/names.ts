import type { ApiClient } from "../client/client.ts";
import { pages } from "../client/pages.ts";
import { type ClientClock, platformClock } from "../client/platform.ts";
import { shown } from "./terminal.ts";

/** Signals whose names are kept; others are shown by their ids. */
const KEPT_MAX = 100_000;
/** How often new signals are looked for while there are some without a name. */
const NEWEST_EVERY_MS = 5_000;
const PAGE = 500;

interface NamesOptions {
  readonly label?: readonly string[] | undefined;
  readonly stop: AbortSignal;
  readonly clock?: ClientClock;
}

/** The names of signals, by their ids: learned by the page, so that no signal costs a request of its own. */
export class Names {
  readonly #client: ApiClient;
  readonly #stop: AbortSignal;
  readonly #clock: ClientClock;
  readonly #filter: { readonly label?: string[] };
  readonly #names = new Map<string, string>();
  #learning: Promise<void> | null = null;
  #askedAtMs = Number.NEGATIVE_INFINITY;

  constructor(client: ApiClient, { label, stop, clock = platformClock }: NamesOptions) {
    this.#client = client;
    this.#stop = stop;
    this.#clock = clock;
    this.#filter = label === undefined ? {} : { label: [...label] };
  }

  learn(id: string, name: string): void {
    if (this.#names.size < KEPT_MAX || this.#names.has(id)) this.#names.set(id, shown(name));
  }

  /** Resolves with the first page, which is all that most have; the others are learned meanwhile. */
  async begin(): Promise<void> {
    const first = Promise.withResolvers<void>();
    this.#inBackground(() => this.#learnAll(first.resolve), first.reject);
    await first.promise;
  }

  /** The id itself as long as the name is not known. */
  of(id: string): string {
    const known = this.#names.get(id);
    if (known === undefined) this.#learnNewest();
    return known ?? id;
  }

  /** What was being learned has ended: with the stop signal it does at once. */
  async settled(): Promise<void> {
    await this.#learning;
  }

  async #learnAll(firstCame: () => void): Promise<void> {
    for await (const page of pages((start) => this.#page(start))) {
      for (const { id, name } of page.signals) this.learn(id, name);
      firstCame();
      if (this.#names.size >= KEPT_MAX) return;
    }
  }

  #learnNewest(): void {
    const now = this.#clock.now();
    if (this.#learning !== null || now - this.#askedAtMs < NEWEST_EVERY_MS) return;
    this.#askedAtMs = now;
    this.#inBackground(async () => {
      for (const { id, name } of (await this.#page({ sort: "-createdAt" })).signals) this.learn(id, name);
    });
  }

  #page(query: { readonly cursor?: string; readonly sort?: "-createdAt" }) {
    const params = { query: { limit: PAGE, ...this.#filter, ...query } };
    return this.#client.get("/v1/signals", { params, signal: this.#stop });
  }

  /** A name that cannot be had leaves the id: no reason to end. */
  #inBackground(work: () => Promise<void>, failed: (error: unknown) => void = () => undefined): void {
    this.#learning = work()
      .catch(failed)
      .finally(() => {
        this.#learning = null;
      });
  }
}
