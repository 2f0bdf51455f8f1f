import { createParser } from "eventsource-parser";
import type { Client } from "openapi-fetch";
import type { SignalServiceEvent } from "../../schemas/event.ts";
import { UnreachableError } from "./failures.ts";
import type { paths } from "./generated.ts";
import type { ClientClock } from "./platform.ts";
import { type Reconnecting, reconnecting } from "./reconnecting.ts";
import { ReadEvent } from "./told.ts";

type Query = NonNullable<paths["/v1/events/stream"]["get"]["parameters"]["query"]>;
export type EventsStreamQuery = Query;

/** The service says something every 20 s: silence means that nobody is there any more. */
const SILENCE_MAX_MS = 60_000;

/** The events that have arrived whole, chunk by chunk. */
async function* eventsOf(
  body: ReadableStream<Uint8Array>,
  heard: () => void,
): AsyncGenerator<SignalServiceEvent> {
  const decoder = new TextDecoder();
  const arrived: SignalServiceEvent[] = [];
  const parser = createParser({
    onEvent: ({ data }) => {
      arrived.push(ReadEvent.parse(JSON.parse(data)));
    },
  });
  for await (const chunk of body) {
    heard();
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* arrived.splice(0);
  }
}

/** Aborts when it has not been told of life for too long. */
const silenceWatch = (clock: ClientClock) => {
  const silent = new AbortController();
  const began = () =>
    clock.after(SILENCE_MAX_MS, () => silent.abort(new DOMException("nothing was heard", "TimeoutError")));
  let cancel = began();
  const heard = () => {
    cancel();
    cancel = began();
  };
  return { signal: silent.signal, heard, end: () => cancel() };
};

/**
 * Events as they happen, over server-sent events; a lost connection is taken up after the last event that was given. The
 * one exception: what happens while a connection is lost over which no event had come, unless `after` or `from` is given.
 */
export async function* eventStream(
  raw: Client<paths>,
  query: Query,
  options: Reconnecting,
): AsyncGenerator<SignalServiceEvent> {
  let lastId: string | null = null;
  const connection = async function* (opened: () => void, signal: AbortSignal) {
    const watch = silenceWatch(options.clock);
    try {
      const { response } = await raw.GET("/v1/events/stream", {
        params: { query, header: lastId === null ? {} : { "last-event-id": lastId } },
        parseAs: "stream",
        signal: AbortSignal.any([signal, watch.signal]),
      });
      opened();
      if (response.body === null) return;
      for await (const event of eventsOf(response.body, watch.heard)) {
        lastId = event.id;
        yield event;
      }
    } catch (error) {
      // Of a stream that has begun, `fetch` tells only that it broke.
      throw error instanceof TypeError || error instanceof DOMException
        ? new UnreachableError(String(watch.signal.reason ?? error), error)
        : error;
    } finally {
      watch.end();
    }
  };
  yield* reconnecting(connection, options);
}
