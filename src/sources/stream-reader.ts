import { isNdjson, mediaTypeOf } from "../domain/message-lines.ts";
import { LineReader } from "./line-reader.ts";
import { LineEnds, ServerSentEvents } from "./server-sent-events.ts";

/** What stands in a stream. */
export interface StreamEnds {
  /** Not used after the call. */
  message(data: Buffer): void;
  /** What came last, by its id; a new connection may go on behind it. */
  id(id: string): void;
  /** The far end wants to be left alone for so long before a new connection. */
  retry(ms: number): void;
}

/** Cuts a stream into messages, each at the asking. */
export interface StreamReader {
  push(chunk: Buffer): void;
  /** Reads on to the next message, or past what is none; false when that needs more bytes. */
  step(): boolean;
  /** A message is longer than any may be. */
  readonly tooLarge: boolean;
  /** The stream has ended as it should: what stands behind the last newline is a message, too, where lines are. */
  end(): void;
}

const eventReader = (bytesMax: number, ends: StreamEnds): StreamReader => {
  const lines = new LineReader(bytesMax);
  const lineEnds = new LineEnds();
  const events = new ServerSentEvents({
    event: (data) => ends.message(data),
    id: (id) => ends.id(id),
    retry: (ms) => ends.retry(ms),
  });
  return {
    push: (chunk) => lines.push(lineEnds.newlines(chunk)),
    step: () => {
      const line = lines.next();
      if (line !== null) events.line(line);
      return line !== null;
    },
    get tooLarge() {
      return lines.tooLong || events.bytes > bytesMax;
    },
    end: () => undefined,
  };
};

const lineReader = (bytesMax: number, ends: StreamEnds): StreamReader => {
  const lines = new LineReader(bytesMax);
  // Empty lines keep some connections open.
  const tell = (line: Buffer | null) => {
    if (line !== null && line.length > 0) ends.message(line);
  };
  return {
    push: (chunk) => lines.push(chunk),
    step: () => {
      const line = lines.next();
      tell(line);
      return line !== null;
    },
    get tooLarge() {
      return lines.tooLong;
    },
    end: () => tell(lines.rest()),
  };
};

const LINES = new Set(["application/json", "application/stream+json", "text/plain", ""]);

/** The reader for a content type: server-sent events, or JSON a line; null for what is neither. */
export const streamReader = (
  contentType: string | undefined,
  bytesMax: number,
  ends: StreamEnds,
): StreamReader | null => {
  const type = mediaTypeOf(contentType);
  if (type === "text/event-stream") return eventReader(bytesMax, ends);
  return isNdjson(type) || LINES.has(type) ? lineReader(bytesMax, ends) : null;
};
