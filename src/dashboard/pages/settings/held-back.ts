import { asksFor, isTold } from "../../../domain/webhooks/match.ts";
import type { Event, Webhook } from "../../api/types.ts";

export interface HeldBack {
  readonly flapping: number;
  readonly silenced: number;
}

/** How many of some events a webhook asks for, and was not told of. */
export const heldBackOf = ({ id, events, filter }: Webhook, happened: readonly Event[]): HeldBack => {
  const listener = { id, settings: { events, filter } };
  const held = happened.filter(
    (event) => !isTold(event.data) && asksFor(listener, { signalId: event.data.signal?.id ?? null, event }),
  );
  const silenced = held.filter(({ data }) => data.silencedBy !== undefined).length;
  return { flapping: held.length - silenced, silenced };
};
