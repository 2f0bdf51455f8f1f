import type { WebhookId } from "../../schemas/common.ts";
import { Service } from "./service-process.ts";
import { until } from "./until.ts";

/** Asks the database of control data something. */
type Ask = <Row extends object>(sql: string) => Promise<Row[]>;

interface LaneRow {
  readonly webhook_id: WebhookId;
  readonly owner: string | null;
}

/** A deliver worker in a process of its own, and under which name it holds lanes. */
export interface DeliveringWorker {
  readonly service: Service;
  readonly owner: string;
}

/** Deliver workers on one database, each a process as `npm run worker -- deliver` starts it. */
export class DeliveringWorkers {
  readonly #environment: Readonly<Record<string, string>>;
  readonly #ask: Ask;
  readonly #running = new Set<DeliveringWorker>();
  readonly #owners = new Set<string>();
  #asking: Promise<LaneRow[]> | null = null;

  constructor(environment: Readonly<Record<string, string>>, ask: Ask) {
    this.#environment = environment;
    this.#ask = ask;
  }

  /** One at a time: who is new among those that send is it. */
  async start(): Promise<void> {
    const service = new Service({
      dataDirectory: "/nonexistent",
      worker: "deliver",
      environment: this.#environment,
    });
    const worker = { service, owner: "" };
    this.#running.add(worker);
    await service.ready();
    worker.owner = await until("it to be counted", async () => {
      const rows = await this.#ask<{ owner: string }>("select owner from webhook_sender");
      return rows.map(({ owner }) => owner).find((owner) => !this.#owners.has(owner));
    });
    this.#owners.add(worker.owner);
  }

  /** Kills the one that holds the most lanes; gives these, and when it was dead, as of `performance.now()`. */
  async kill(): Promise<{ readonly webhooks: readonly WebhookId[]; readonly at: number }> {
    const owners = await this.#ask<{ owner: string }>(
      "select owner from webhook_lane where owner is not null group by owner order by count(*) desc",
    );
    const living = new Map([...this.#running].map((worker) => [worker.owner, worker]));
    // Those of who was killed before are their own for a while.
    const [victim] = owners.flatMap(({ owner }) => living.get(owner) ?? []);
    if (victim === undefined) throw new Error("nobody holds a lane");
    this.#running.delete(victim);
    const at = performance.now();
    await victim.service.end("SIGKILL");
    const rows = await this.#ask<{ webhook_id: WebhookId }>(
      `select webhook_id from webhook_lane where owner = '${victim.owner}'`,
    );
    return { webhooks: rows.map(({ webhook_id }) => webhook_id), at };
  }

  /** Who holds the lane. */
  async holder(webhookId: WebhookId): Promise<DeliveringWorker | undefined> {
    // All who wait share one question: each by itself would keep the database from its work.
    this.#asking ??= this.#ask<LaneRow>("select webhook_id, owner from webhook_lane").finally(() => {
      this.#asking = null;
    });
    const lane = (await this.#asking).find((one) => one.webhook_id === webhookId);
    return [...this.#running].find(({ owner }) => owner === lane?.owner);
  }

  /** As an orchestrator ends them; gives their exit codes. */
  stop(): Promise<(number | null)[]> {
    return Promise.all([...this.#running].map(({ service }) => service.end("SIGTERM")));
  }

  get printed(): string {
    return [...this.#running].map(({ service }) => service.stderr).join("");
  }

  async remove(): Promise<void> {
    await Promise.all([...this.#running].map(({ service }) => service.end("SIGKILL")));
  }
}
