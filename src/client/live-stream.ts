import type { z } from "zod";
import type { EventsSelection, ReadingsSelection } from "../../schemas/stream.ts";
import type { TypedCalls } from "./calls.ts";
import type { LiveMessage } from "./inbox.ts";
import { LiveConnection } from "./live-connection.ts";
import { type Reconnecting, reconnecting } from "./reconnecting.ts";

/** What to be told of: the newest values of signals, events, or both. */
export interface LiveSelection {
  readonly readings?: z.input<typeof ReadingsSelection>;
  readonly events?: z.input<typeof EventsSelection>;
}

const streamUrl = (url: string, ticket: string): URL => {
  const address = new URL("/v1/stream", url);
  address.protocol = address.protocol.replace("http", "ws");
  address.searchParams.set("ticket", ticket);
  return address;
};

/**
 * What happens, as it happens, over `/v1/stream`. A lost connection is taken up after the last event that was given, or
 * where it began, and begins with the newest values; so does one whose reader is slow by 10,000 events. Readings are the
 * newest of each signal since the reader last looked.
 */
export async function* liveStream(
  url: string,
  { post }: Pick<TypedCalls, "post">,
  selection: LiveSelection,
  options: Reconnecting,
): AsyncGenerator<LiveMessage> {
  let after = selection.events?.after;
  const connection = async function* (opened: () => void, signal: AbortSignal) {
    // A ticket, as a browser needs it, does for all: WebSocket's own API knows no headers.
    const { ticket } = await post("/v1/stream/tickets", { signal });
    const events = selection.events && { ...selection.events, ...(after === undefined ? {} : { after }) };
    const subscription = { ...selection, ...(events === undefined ? {} : { events }) };
    const { clock } = options;
    const begun = (at: typeof after) => {
      // A service of before says nothing of it.
      if (at !== undefined) after = at;
      opened();
    };
    const address = streamUrl(url, ticket);
    const live = new LiveConnection({ url: address, subscription, clock, signal, opened: begun });
    for await (const message of live.read()) {
      if (message.type === "event") after = message.event.id;
      yield message;
    }
  };
  yield* reconnecting(connection, options);
}
