import type { Admin, Cluster } from "kafkajs";
import type { Surroundings } from "../../ports/surroundings.ts";
import { KafkaClient } from "./client.ts";
import { clusterOf } from "./cluster.ts";
import { settledWithin, within } from "./deadline.ts";
import { isRefused, unavailable } from "./failures.ts";
import type { KafkaAccess } from "./options.ts";

/** From the question to the answer, connecting included. */
const ANSWERED_MAX_MS = 10_000;
const CLOSE_MAX_MS = 1_000;

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

  /** Rejects with LogUnavailableError. `question` may be put twice. */
  async ask<T>(what: string, question: (line: Line) => Promise<T>): Promise<T> {
    try {
      return await this.#askOnce(what, question);
    } catch (error) {
      if (isRefused(error)) throw unavailable(error);
    }
    // The connection may have been to a broker that has ended since.
    try {
      return await this.#askOnce(what, question);
    } catch (error) {
      throw unavailable(error);
    }
  }

  /** As `ask`, but put once, and rejecting with what kafkajs says. */
  async #askOnce<T>(what: string, question: (line: Line) => Promise<T>): Promise<T> {
    const line = this.#connected();
    try {
      return await within(this.#surroundings.clock, ANSWERED_MAX_MS, what, line.then(question));
    } catch (error) {
      if (!isRefused(error)) this.#drop(line);
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
