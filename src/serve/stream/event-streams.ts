import type { FastifyReply } from "fastify";
import type { EventId } from "../../../schemas/common.ts";
import { PROBLEMS } from "../../../schemas/problem.ts";
import type { Counter, Gauge, Logger, Telemetry } from "../../ports/telemetry.ts";
import { Background } from "../background.ts";
import type { Caller } from "../caller.ts";
import type { EventFilter } from "../event-filter.ts";
import { ProblemError } from "../problem.ts";
import { problemOf } from "../problem-of.ts";
import { EndlessAnswer } from "./endless-answer.ts";
import { EventsSubscription } from "./events-subscription.ts";
import { serverSentEvent } from "./frames.ts";
import type { StreamParts } from "./stream-parts.ts";

/** When a browser comes back by itself after an answer has ended. */
const RETRY_MS = 2_000;
const RETRY_AFTER_SECONDS = "5";
const GOODBYE_MS = 1_000;

/** Where the events of an answer begin: after a position, and the event there if it is known. */
export interface EventsStart {
  readonly filter: EventFilter;
  readonly after: number;
  readonly lastId: EventId | null;
}

/** Every open answer of `GET /v1/events/stream`. */
export class EventStreams {
  readonly #parts: StreamParts;
  readonly #log: Logger;
  readonly #clients: Gauge;
  readonly #dropped: Counter;
  readonly #background = new Background();
  readonly #answers = new Set<EndlessAnswer>();
  readonly #endBeats: () => void;
  #isStopping = false;
  #emptied: () => void = () => undefined;

  constructor(parts: StreamParts, { log, metrics }: Telemetry) {
    this.#parts = parts;
    this.#log = log;
    this.#clients = metrics.gauge("event_stream_clients", "Open answers of server-sent events.");
    this.#dropped = metrics.counter(
      "event_stream_dropped_total",
      "Answers of server-sent events that the service ended.",
      ["reason"],
    );
    this.#endBeats = parts.clock.every(parts.limits.streamPingMs, () => this.#beat());
  }

  /** Answers with events until the peer leaves, is too slow, its key ends, or the service stops. */
  open(reply: FastifyReply, key: Caller, start: EventsStart): FastifyReply {
    if (this.#isStopping) throw new ProblemError("pipeline_unavailable", "the service stops");
    const { places, limits } = this.#parts;
    if (!places.areLeft)
      throw new ProblemError("rate_limited", "too many streams are open", {
        headers: { "Retry-After": RETRY_AFTER_SECONDS },
      });
    const answer = new EndlessAnswer(reply.raw, limits.streamBufferedBytes);
    const headers = reply.getHeaders();
    reply.hijack();
    this.#serve(answer, headers, key, start);
    return reply;
  }

  /** Ends every answer; peers that do not take the end are cut off after a second. */
  async stop(): Promise<void> {
    if (this.#isStopping) return;
    this.#isStopping = true;
    this.#endBeats();
    for (const answer of this.#answers) answer.end("shutting down");
    if (this.#answers.size > 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#emptied = resolve;
      const cancel = this.#parts.clock.after(GOODBYE_MS, () => {
        for (const answer of this.#answers) answer.terminate();
      });
      await promise;
      cancel();
    }
    await this.#background.settled();
  }

  #serve(
    answer: EndlessAnswer,
    headers: ReturnType<FastifyReply["getHeaders"]>,
    key: Caller,
    start: EventsStart,
  ): void {
    const { keyWatch, places } = this.#parts;
    const events = this.#subscription(answer, start);
    const unwatch = keyWatch.watch(key, () => this.#end(answer, "key_revoked"));
    places.take();
    this.#answers.add(answer);
    this.#clients.set(this.#answers.size);
    const closed = () => {
      events.stop();
      unwatch();
      places.leave();
      this.#answers.delete(answer);
      this.#clients.set(this.#answers.size);
      if (this.#answers.size === 0) this.#emptied();
    };
    answer.begin(headers, RETRY_MS, { drained: () => events.pump(), closed });
    events.begin();
  }

  #subscription(answer: EndlessAnswer, { filter, after, lastId }: EventsStart): EventsSubscription {
    const { feed, limits } = this.#parts;
    return new EventsSubscription({
      feed,
      peer: answer,
      frame: serverSentEvent,
      filter,
      after,
      lastId,
      behindMax: limits.streamBehindEvents,
      tooSlow: () => this.#end(answer, "too_slow"),
      background: (task) =>
        this.#background.run(task, (err) => {
          const { code } = problemOf(err);
          if (PROBLEMS[code].status >= 500) this.#log.warn({ err }, code);
          this.#end(answer, code);
        }),
    });
  }

  #end(answer: EndlessAnswer, reason: string): void {
    if (!answer.isOpen) return;
    this.#dropped.add(1, { reason });
    answer.end(reason);
  }

  #beat(): void {
    for (const answer of this.#answers) {
      if (answer.beat()) continue;
      this.#dropped.add(1, { reason: "dead_peer" });
      answer.terminate();
    }
  }
}
