import { queryOptions } from "@tanstack/react-query";
import { eventBody } from "../../../domain/webhooks/event-body.ts";
import { plainHeaders } from "../../../domain/webhooks/plain-headers.ts";
import { api } from "../../api/client.ts";
import type { Delivery, Event } from "../../api/types.ts";
import { at, bounded } from "../../api/whole.ts";

/** What the service makes for one webhook, of others: in no list of events. */
const GROUPED: readonly string[] = ["source.degraded", "source.recovered"];
export const isOfGroup = ({ event }: Delivery): boolean => GROUPED.includes(event);

/** The event of a delivery; null: it is kept no more. */
export const eventOf = (delivery: Delivery) => {
  const { eventId, event, signalId, createdAt } = delivery;
  // Deliveries have the time of their event.
  const to = new Date(Date.parse(createdAt) + 1).toISOString();
  const isIt = ({ id }: Event) => id === eventId;
  return queryOptions({
    queryKey: ["sent", eventId],
    queryFn: async () => {
      const { items } = await bounded(
        async (cursor) => {
          const of = signalId === null ? {} : { signalId: [signalId] };
          const query = { from: createdAt, to, event: [event], ...of, ...at(cursor) };
          const page = await api.get("/v1/events", { params: { query } });
          return { items: page.events, next: page.nextCursor };
        },
        (all) => all.some(isIt),
      );
      return items.find(isIt) ?? null;
    },
    enabled: !isOfGroup(delivery),
    // What happened stays as it was.
    staleTime: Number.POSITIVE_INFINITY,
  });
};

const headerLines = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");

/** A request as it was sent at `atMs`, or would be, laid out to be read; without what signs it. */
export const requestText = (event: Event, atMs: number): string => {
  const headers = plainHeaders({ eventId: event.id, kind: event.event }, atMs);
  const body = JSON.stringify(JSON.parse(eventBody(event, JSON.stringify(event))), null, 2);
  return `${headerLines({ "Content-Type": "application/json", ...headers })}\n\n${body}`;
};
