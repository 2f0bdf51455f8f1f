import type { Admin, Cluster } from "kafkajs";
import type { Surroundings } from "../../ports/surroundings.ts";
import { KafkaClient } from "./client.ts";
import { clusterOf } from "./cluster.ts";
import { settledWithin, within } from "./deadline.ts";
import { isRefused, isSoonWell, unavailable } from "./failures.ts";
import type { KafkaAccess } from "./options.ts";

/** From the question to the answer, connecting included. */
const ANSWERED_MAX_MS = 10_000;
const CLOSE_MAX_MS = 1_000;
/** For how long a coordinator may read what its groups have committed, after its start or a move. */
const READY_MAX_MS = 15_000;
const READY_EVERY_MS = 100;

/** What a question may be put to. */
export interface Line {
  readonly admin: Admin;
  readonly cluster: Cluster;
}

/** Asks the cluster, one client for all questions: made anew after a question that was not answered. */
export class Inquiry {
  readonly #access: KafkaAccess;
  readonly #surroundings: Surroundings;
  #client: KafkaClient | null = null;
  #line: Promise<Line> | null = null;

  constructor(access: KafkaAccess, surroundings: Surroundings) {
    this.#access = access;
    this.#surroundings = surroundings;
  }

  /** Rejects with LogUnavailableError. `question` may be put twice, and while a coordinator gets ready more often. */
  async ask<T>(what: string, question: (line: Line) => Promise<T>): Promise<T> {
    const { clock } = this.#surroundings;
    const readyUntil = clock.monotonic() + READY_MAX_MS;
    // A second time, as the connection may have been to a broker that has ended since.
    for (let left = 2; ; ) {
      try {
        return await this.#askOnce(what, question);
      } catch (error) {
        const getsReady = isSoonWell(error) && clock.monotonic() < readyUntil;
        if (!getsReady) left--;
        if (isRefused(error) || left === 0) throw unavailable(error);
        if (getsReady) await clock.sleep(READY_EVERY_MS);
      }
    }
  }

  /** As `ask`, but put once, and rejecting with what kafkajs says. */
  async #askOnce<T>(what: string, question: (line: Line) => Promise<T>): Promise<T> {
    const line = this.#connected();
    try {
      return await within(this.#surroundings.clock, ANSWERED_MAX_MS, what, line.then(question));
    } catch (error) {
      if (!isRefused(error) && !isSoonWell(error)) this.#drop(line);
      throw error;
    }
  }

  async close(): Promise<void> {
    const line = this.#line;
    if (line !== null) {
      const ending = line.then(({ admin, cluster }) =>
        Promise.all([admin.disconnect(), cluster.disconnect()]),
      );
      await settledWithin(this.#surroundings.clock, CLOSE_MAX_MS, [ending]);
      this.#drop(line);
    }
  }

  #connected(): Promise<Line> {
    if (this.#line !== null) return this.#line;
    const client = new KafkaClient(this.#access, this.#surroundings.telemetry.log);
    const line = { admin: client.kafka.admin(), cluster: clusterOf(client.kafka) };
    this.#client = client;
    this.#line = Promise.all([line.admin.connect(), line.cluster.connect()]).then(() => line);
    return this.#line;
  }

  #drop(line: Promise<Line>): void {
    if (this.#line !== line) return;
    this.#client?.cut();
    this.#client = null;
    this.#line = null;
  }
}
