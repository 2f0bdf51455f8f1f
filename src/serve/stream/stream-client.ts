import type { RawData } from "ws";
import type { AccountId, EventId } from "../../../schemas/common.ts";
import { PROBLEMS, type ProblemCode } from "../../../schemas/problem.ts";
import { type ServerMessage, StreamClose } from "../../../schemas/stream.ts";
import type { Counter, Logger } from "../../ports/telemetry.ts";
import type { Background } from "../background.ts";
import { problemOf } from "../problem-of.ts";
import { readMessage } from "./client-message.ts";
import type { Connection } from "./connection.ts";
import { message } from "./frames.ts";
import { Pace } from "./pace.ts";
import type { StreamParts } from "./stream-parts.ts";
import { type Subscribe, Subscription } from "./subscription.ts";

const SUBSCRIPTIONS_MAX = 20;
/** Signals named by all subscriptions of a stream: a page with 10,000 of them may name each twice. */
const NAMED_SIGNALS_MAX = 20_000;
const MESSAGES = { burst: 100, perSecond: 20 };
const BAD: StreamEnd = [StreamClose.badMessage, "bad message"];
const TOO_MANY: StreamEnd = [StreamClose.badMessage, "too many messages"];

/** With which code, and which words, a stream is closed. */
export type StreamEnd = readonly [code: number, reason: string];

interface ClientOptions {
  readonly parts: StreamParts;
  readonly connection: Connection;
  readonly accountId: AccountId;
  readonly background: Background;
  readonly log: Logger;
  readonly conflated: Counter;
  /** Closes the stream, and counts it under `reason`. */
  readonly end: (reason: string, close: StreamEnd) => void;
}

const namedSignals = ({ readings, events }: Subscribe): number =>
  (Array.isArray(readings?.signalIds) ? readings.signalIds.length : 0) + (events?.signalIds?.length ?? 0);

/** What one peer of `/v1/stream` says, and what it has subscribed to. */
export class StreamClient {
  readonly #options: ClientOptions;
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #pace: Pace;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#pace = new Pace(options.parts.clock, MESSAGES);
    options.connection.drained = () => {
      for (const subscription of this.#subscriptions.values()) subscription.pump();
    };
  }

  take(data: RawData, isBinary: boolean): void {
    if (!this.#isInTime()) return;
    const read = readMessage(data, isBinary);
    if (!read.ok) {
      this.#sendError("validation_failed", read.detail);
      this.#options.end("bad_message", BAD);
    } else if (read.message.type === "ping") this.#reply({ type: "pong" });
    else if (read.message.type === "unsubscribe") this.#unsubscribe(read.message.id);
    else this.#subscribe(read.message);
  }

  /** A ping of the protocol, which was answered already. */
  takePing(): void {
    if (this.#isInTime()) this.#options.connection.isAlive = true;
  }

  stop(): void {
    for (const subscription of this.#subscriptions.values()) subscription.stop();
    this.#subscriptions.clear();
  }

  #isInTime(): boolean {
    if (this.#pace.allows()) return true;
    const { burst, perSecond } = MESSAGES;
    this.#sendError("rate_limited", `a stream takes ${perSecond} messages a second, ${burst} at once`);
    this.#options.end("too_many_messages", TOO_MANY);
    return false;
  }

  #subscribe(request: Subscribe): void {
    const { id } = request;
    const refusal = this.#refusal(request);
    if (refusal !== null) {
      this.#sendError("conflict", refusal, id);
      return;
    }
    const { parts, connection, accountId, conflated } = this.#options;
    const background = (task: () => Promise<void>) => this.#inBackground(id, subscription, task);
    const tooSlow = (lastId: EventId | null) => this.#tooSlow(lastId);
    const signals = namedSignals(request);
    const shared = { parts, connection, accountId, conflated };
    const subscription = new Subscription({ ...shared, signals, tooSlow, background });
    this.#subscriptions.set(id, subscription);
    background(() => subscription.begin(request));
  }

  #refusal(request: Subscribe): string | null {
    const { id } = request;
    if (this.#subscriptions.has(id)) return `subscription ${id} exists: unsubscribe first`;
    if (this.#subscriptions.size >= SUBSCRIPTIONS_MAX)
      return `a stream has at most ${SUBSCRIPTIONS_MAX} subscriptions`;
    let named = namedSignals(request);
    for (const { signals } of this.#subscriptions.values()) named += signals;
    return named > NAMED_SIGNALS_MAX ? `a stream names at most ${NAMED_SIGNALS_MAX} signals` : null;
  }

  #unsubscribe(id: string): void {
    const subscription = this.#subscriptions.get(id);
    if (subscription === undefined) {
      this.#sendError("not_found", `there is no subscription ${id}`, id);
      return;
    }
    subscription.stop();
    this.#subscriptions.delete(id);
    this.#reply({ type: "unsubscribed", id });
  }

  #tooSlow(lastId: EventId | null): void {
    const from = lastId === null ? "after the last event that you have" : `after=${lastId}`;
    this.stop();
    this.#options.end("too_slow", [StreamClose.tooSlow, `too slow: resume with ${from}`]);
  }

  /** A failure ends the subscription, not the stream. */
  #inBackground(id: string, subscription: Subscription, task: () => Promise<void>): void {
    this.#options.background.run(task, (error) => {
      const { code, detail } = problemOf(error);
      if (PROBLEMS[code].status >= 500) this.#options.log.warn({ subscription: id, err: error }, code);
      subscription.stop();
      if (this.#subscriptions.get(id) === subscription) this.#subscriptions.delete(id);
      this.#sendError(code, `subscription ${id} ended: ${detail}`, id);
    });
  }

  #sendError(code: ProblemCode, detail: string, id?: string): void {
    this.#reply({ type: "error", ...(id === undefined ? {} : { id }), code, detail });
  }

  /** A peer that goes on asking and never reads is cut off: answers are the one thing that it could make pile up. */
  #reply(content: ServerMessage): void {
    const { connection, end } = this.#options;
    if (connection.isOverfull) {
      end("too_slow", [StreamClose.tooSlow, "too slow: answers are not being read"]);
      connection.terminate();
    } else connection.send(message(content));
  }
}
