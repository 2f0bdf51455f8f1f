import type { ChannelOptions, EventOptions } from "birpc";
import { type PackedFailure, packFailure, unpackFailure } from "./failures.ts";

/** One end of a connection between two threads: a `Worker`, or a `MessagePort` (node:worker_threads). */
export interface Port {
  postMessage(message: unknown, transfer: readonly ArrayBuffer[]): void;
  on(event: "message", listener: (message: Envelope) => void): unknown;
  off(event: "message", listener: (message: Envelope) => void): unknown;
}

/** A message of one of the channels that share a port. */
interface Envelope {
  readonly channel: string;
  readonly message: Message;
}
/** As `birpc` makes them: a question with its arguments `a`, or an answer with its result `r` or error `e`. */
interface Message {
  readonly a?: readonly unknown[];
  readonly r?: unknown;
  readonly e?: unknown;
}

const isPackedFailure = (error: unknown): error is PackedFailure =>
  typeof error === "object" && error !== null && "failure" in error;

/** Buffers of packed records go over without a copy. */
const moved = ({ a = [], r }: Message): ArrayBuffer[] =>
  [...a, r].flatMap((value) =>
    typeof value === "object" && value !== null && "bytes" in value && value.bytes instanceof ArrayBuffer
      ? [value.bytes]
      : [],
  );

/**
 * One channel of a port, for `birpc`. Calls keep their order. None times out: both ends live and die together, and what
 * takes long on one end (a full log, an engine that is away) takes as long on the other.
 */
export const channel = (port: Port, name: string) => {
  const listeners = new Map<unknown, (message: Envelope) => void>();
  return {
    post: (message: Message) =>
      port.postMessage({ channel: name, message } satisfies Envelope, moved(message)),
    on: (receive: (message: Message) => void) => {
      const listener = (envelope: Envelope) => {
        if (envelope.channel === name) receive(envelope.message);
      };
      listeners.set(receive, listener);
      port.on("message", listener);
    },
    off: (receive: (message: Message) => void) => {
      const listener = listeners.get(receive);
      if (listener !== undefined) port.off("message", listener);
    },
    serialize: (message: Message): Message =>
      message.e === undefined ? message : { ...message, e: packFailure(message.e) },
    deserialize: (message: Message): Message =>
      isPackedFailure(message.e) ? { ...message, e: unpackFailure(message.e) } : message,
    bind: "functions",
    timeout: -1,
  } satisfies ChannelOptions & Pick<EventOptions, "timeout">;
};
