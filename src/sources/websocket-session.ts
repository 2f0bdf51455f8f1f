import { WebSocket } from "ws";
import type { WebSocketSettings } from "../../schemas/source.ts";
import { closeWords, failureWords, isTooLarge, refusalWords } from "./failure-words.ts";
import { Handshake } from "./handshake.ts";
import { Heartbeat } from "./heartbeat.ts";
import type { SourceContext } from "./source.ts";
import { type Message, UnheardMessages } from "./unheard-messages.ts";

const CONNECT_TIMEOUT_MS = 10_000;
const CLOSE_TIMEOUT_MS = 1_000;

/** Why a connection ended, and how long it had been connected, its handshake passed. */
export interface SessionEnd {
  readonly reason: string;
  readonly healthyMs: number;
}

const bytesOf = (data: WebSocket.RawData): Buffer =>
  Buffer.isBuffer(data) ? data : Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);

/** One connection of a WebSocket source, from its dialling to its end. */
export class WebSocketSession {
  readonly #settings: WebSocketSettings;
  readonly #context: SourceContext;
  readonly #socket: WebSocket;
  readonly #handshake: Handshake;
  #heartbeat: Heartbeat | null = null;
  #reason: string | null = null;
  #opened = false;
  #connectedAt: number | null = null;
  #cancelTimeout: () => void;
  readonly #unheard: UnheardMessages;

  constructor(socket: WebSocket, settings: WebSocketSettings, context: SourceContext) {
    this.#socket = socket;
    this.#settings = settings;
    this.#context = context;
    this.#handshake = new Handshake(settings.handshake, context.clock, {
      send: (text) => socket.send(text),
      stepped: (outcome) => context.stepped?.(outcome),
      done: () => this.#connected(),
      failed: (reason) => this.#fail(reason),
    });
    this.#unheard = new UnheardMessages(
      () => context.flow.paused,
      (message) => this.#contained("message", () => this.#message(message)),
    );
    this.#cancelTimeout = context.clock.after(CONNECT_TIMEOUT_MS, () =>
      this.#fail(`it did not accept the connection within ${CONNECT_TIMEOUT_MS / 1000} s`),
    );
  }

  /** Resolves when the connection has ended: by the far end, by a failure, or because `signal` aborted. */
  run(signal: AbortSignal): Promise<SessionEnd> {
    const { promise, resolve } = Promise.withResolvers<SessionEnd>();
    const close = () => this.#close();
    this.#listen();
    this.#socket.once("close", (code, reason) => {
      signal.removeEventListener("abort", close);
      resolve(this.#ended(closeWords(code, reason.toString("utf8"))));
    });
    signal.addEventListener("abort", close);
    if (signal.aborted) close();
    return promise;
  }

  #listen(): void {
    const alive = () => this.#heartbeat?.alive();
    this.#socket
      .on("open", () => this.#contained("open", () => this.#open()))
      .on("message", (data: WebSocket.RawData, binary: boolean) =>
        this.#unheard.arrived({ data: bytesOf(data), binary }),
      )
      .on("ping", alive)
      .on("pong", alive)
      .on("unexpected-response", (request, response) => {
        this.#fail(refusalWords(response.statusCode));
        request.destroy();
      })
      .on("error", (error: Error) => this.#contained("error", () => this.#error(error)));
  }

  /** An exception in a listener would end the process. */
  #contained(where: string, handle: () => void): void {
    try {
      handle();
    } catch (error) {
      this.#context.fault(error, where);
    }
  }

  #open(): void {
    this.#opened = true;
    this.#cancelTimeout();
    const pause = () => {
      this.#socket.pause();
      this.#handshake.deaf();
      this.#heartbeat?.deaf();
    };
    const resume = () => {
      if (!this.#unheard.resume()) return;
      this.#socket.resume();
      this.#handshake.hearing();
      this.#heartbeat?.hearing();
    };
    this.#context.flow.attach({ pause, resume });
    this.#handshake.proceed();
  }

  #connected(): void {
    const { clock, flow, report } = this.#context;
    this.#connectedAt = clock.monotonic();
    const dead = (reason: string) => this.#fail(reason);
    this.#heartbeat = new Heartbeat(this.#settings.heartbeat, clock, () => this.#beat(), dead);
    if (flow.paused) this.#heartbeat.deaf();
    report.connected();
  }

  #beat(): void {
    const { send } = this.#settings.heartbeat;
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    if (send === undefined) this.#socket.ping();
    else this.#socket.send(send);
  }

  #message({ data, binary }: Message): void {
    const { flow, intake } = this.#context;
    this.#heartbeat?.alive();
    flow.spend(data.length);
    if (this.#handshake.offer(() => data.toString("utf8"))) intake.consumed();
    else intake.receive(data, binary);
  }

  #error(error: Error): void {
    const tooLarge = `a message of more than ${this.#context.settings.maxPayloadBytes} bytes`;
    if (isTooLarge(error)) this.#context.intake.refused("too_large", tooLarge);
    this.#reason ??= isTooLarge(error) ? `it sent ${tooLarge}` : this.#words(failureWords(error));
  }

  #words(reason: string): string {
    return this.#opened ? reason : `connecting to ${new URL(this.#settings.url).host}: ${reason}`;
  }

  #fail(reason: string): void {
    this.#reason ??= this.#words(reason);
    this.#socket.terminate();
  }

  /** Says goodbye as the protocol wants it, but does not wait long for the answer. */
  #close(): void {
    this.#reason ??= "stopped";
    const { flow } = this.#context;
    // What was not accepted when the source was held back is not accepted after its end either.
    this.#endHearing(flow.isHeldBack);
    flow.detach();
    if (this.#socket.readyState !== WebSocket.OPEN) {
      this.#socket.terminate();
      return;
    }
    this.#socket.resume();
    this.#socket.close(1000);
    this.#cancelTimeout = this.#context.clock.after(CLOSE_TIMEOUT_MS, () => this.#socket.terminate());
  }

  #endHearing(drop: boolean): void {
    if (drop) this.#unheard.drop();
    else this.#unheard.close();
  }

  #ended(closing: string): SessionEnd {
    const { clock, flow } = this.#context;
    this.#endHearing(flow.isInDoubt);
    this.#cancelTimeout();
    const unfinished = this.#handshake.ended();
    const ending = unfinished === null ? closing : `${closing} (${unfinished})`;
    this.#handshake.stop();
    this.#heartbeat?.stop();
    flow.detach();
    const healthyMs = this.#connectedAt === null ? 0 : clock.monotonic() - this.#connectedAt;
    return { reason: this.#reason ?? this.#words(ending), healthyMs };
  }
}
