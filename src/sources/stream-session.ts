import type { Readable } from "node:stream";
import type { HttpStreamSettings } from "../../schemas/source.ts";
import { mediaTypeOf } from "../domain/message-lines.ts";
import { retryAfterMs } from "../domain/retry-after.ts";
import { failureWords, statusWords } from "./failure-words.ts";
import type { HttpAnswer, HttpEnd } from "./http-end.ts";
import type { SourceContext } from "./source.ts";
import { type StreamReader, streamReader } from "./stream-reader.ts";

const CONNECT_TIMEOUT_MS = 10_000;

/** Why a stream ended, how long it had flowed, and how long the far end wants to be left alone. */
export interface StreamEnd {
  readonly reason: string;
  readonly healthyMs: number;
  readonly askedMs: number;
}

/** What outlives a connection. */
export interface StreamMemory {
  lastEventId: string | undefined;
  /** The far end's own word on reconnecting (`retry:`). */
  retryMs: number;
}

export interface StreamSessionOptions {
  readonly settings: HttpStreamSettings;
  readonly context: SourceContext;
  readonly end: HttpEnd;
  readonly memory: StreamMemory;
}

const ACCEPT = "text/event-stream, application/x-ndjson, application/jsonl;q=0.9, application/json;q=0.5";

/** One connection of a stream, from its request to its end. */
export class StreamSession {
  readonly #options: StreamSessionOptions;
  readonly #cut = new AbortController();
  readonly #ended = Promise.withResolvers<string>();
  #reader: StreamReader | null = null;
  #connectedAt: number | null = null;
  #finished = false;
  #cancelIdle: () => void = () => undefined;

  constructor(options: StreamSessionOptions) {
    this.#options = options;
  }

  /** Resolves when the stream has ended: by the far end, by a failure, or because `signal` aborted. */
  async run(signal: AbortSignal): Promise<StreamEnd> {
    const { clock, flow } = this.#options.context;
    const stop = () => this.#fail("stopped");
    signal.addEventListener("abort", stop);
    if (signal.aborted) stop();
    try {
      const refused = await this.#open();
      const reason = refused?.reason ?? (await this.#ended.promise);
      const healthyMs = this.#connectedAt === null ? 0 : clock.monotonic() - this.#connectedAt;
      return { reason, healthyMs, askedMs: refused?.askedMs ?? 0 };
    } finally {
      signal.removeEventListener("abort", stop);
      this.#cancelIdle();
      // What was not accepted when the source was held back is not accepted after its end either.
      this.#finishReading(flow.isInDoubt || (signal.aborted && flow.isHeldBack));
      flow.detach();
      this.#cut.abort();
    }
  }

  /** Null once the stream flows, else why it does not. */
  async #open(): Promise<{ reason: string; askedMs: number } | null> {
    const { clock } = this.#options.context;
    const late = `it did not answer within ${CONNECT_TIMEOUT_MS / 1000} s`;
    const cancel = clock.after(CONNECT_TIMEOUT_MS, () => this.#fail(late));
    try {
      const answer = await this.#call();
      const reason = this.#accept(answer);
      if (reason === null) return null;
      const askedMs = retryAfterMs(answer.header("retry-after"), clock.now()) ?? 0;
      return { reason, askedMs };
    } catch (error) {
      if (this.#cut.signal.aborted) return { reason: await this.#ended.promise, askedMs: 0 };
      const { host } = new URL(this.#options.settings.url);
      return { reason: `connecting to ${host}: ${failureWords(error)}`, askedMs: 0 };
    } finally {
      cancel();
    }
  }

  #call(): Promise<HttpAnswer> {
    const { settings, end, memory } = this.#options;
    const id = memory.lastEventId;
    return end.call({
      url: new URL(settings.url),
      method: "GET",
      headers: settings.headers,
      ours: {
        accept: ACCEPT,
        "cache-control": "no-store",
        // As bytes: a header carries them one to one (RFC 9110, 5.5), and the id is UTF-8.
        ...(id === undefined || id === "" ? {} : { "last-event-id": Buffer.from(id).toString("latin1") }),
      },
      signal: this.#cut.signal,
    });
  }

  #accept({ status, header, body }: HttpAnswer): string | null {
    const { context, memory } = this.#options;
    if (status < 200 || status > 299) return statusWords(status);
    const encoding = header("content-encoding") ?? "identity";
    if (encoding !== "identity") return `it sent the encoding ${encoding}, which was not asked for`;
    const { maxPayloadBytes } = context.settings;
    this.#reader = streamReader(header("content-type"), maxPayloadBytes, {
      message: (data) => {
        context.flow.spend(data.length);
        context.intake.receive(data, false);
      },
      id: (id) => {
        memory.lastEventId = id;
      },
      retry: (ms) => {
        memory.retryMs = ms;
      },
    });
    const type = mediaTypeOf(header("content-type"));
    if (this.#reader === null)
      return `it sent ${type.slice(0, 100)}, which is neither server-sent events nor NDJSON`;
    this.#read(body);
    return null;
  }

  #read(body: Readable): void {
    const { clock, flow, report } = this.#options.context;
    this.#connectedAt = clock.monotonic();
    report.connected();
    this.#watchIdle();
    body
      .on("data", (chunk: Buffer) => this.#contained("data", () => this.#chunk(chunk)))
      .on("end", () => this.#contained("end", () => this.#over()))
      .on("error", (error: Error) => this.#fail(failureWords(error)))
      .on("close", () => this.#fail("it closed the connection in the middle"));
    flow.attach({
      // While we do not read we cannot hear, and blame nobody.
      pause: () => {
        body.pause();
        this.#cancelIdle();
      },
      resume: () => this.#contained("resume", () => this.#resume(body)),
    });
  }

  /** An exception in a listener would end the process. */
  #contained(where: string, handle: () => void): void {
    try {
      handle();
    } catch (error) {
      this.#options.context.fault(error, where);
    }
  }

  #chunk(chunk: Buffer): void {
    this.#watchIdle();
    this.#reader?.push(chunk);
    this.#readOn();
  }

  /** As far as the source may go on. */
  #readOn(): void {
    const { context } = this.#options;
    const reader = this.#reader;
    if (reader === null) return;
    while (!context.flow.paused && !reader.tooLarge && reader.step());
    if (!reader.tooLarge) return;
    const tooLarge = `a message of more than ${context.settings.maxPayloadBytes} bytes`;
    this.#reader = null;
    context.intake.refused("too_large", tooLarge);
    this.#fail(`it sent ${tooLarge}`);
  }

  #resume(body: Readable): void {
    this.#readOn();
    if (this.#options.context.flow.paused) return;
    if (this.#finished) {
      this.#over();
      return;
    }
    this.#watchIdle();
    body.resume();
  }

  /** The far end has ended the stream; what is here already is read first. */
  #over(): void {
    this.#finished = true;
    if (this.#options.context.flow.paused) return;
    this.#finishReading(false);
    this.#fail("it ended the stream");
  }

  /** What came before the end is taken in. */
  #finishReading(drop: boolean): void {
    const reader = this.#reader;
    this.#reader = null;
    if (drop || reader === null) return;
    this.#contained("end", () => {
      while (!reader.tooLarge && reader.step());
      if (this.#finished && !reader.tooLarge) reader.end();
    });
  }

  #watchIdle(): void {
    const { context, settings } = this.#options;
    const { idleTimeoutSeconds } = settings;
    this.#cancelIdle();
    if (idleTimeoutSeconds === null) return;
    const idle = `it said nothing for ${idleTimeoutSeconds} s`;
    this.#cancelIdle = context.clock.after(idleTimeoutSeconds * 1000, () => this.#fail(idle));
  }

  #fail(reason: string): void {
    // An end that waits for its turn has been told by `#over`.
    if (this.#finished && this.#reader !== null && reason !== "stopped") return;
    this.#ended.resolve(reason);
    this.#cut.abort();
  }
}
