import { z } from "zod";
import { EventId } from "../../../schemas/common.ts";
import {
  EventKind,
  EventsAnswer,
  EventsQuery,
  EventsStreamHeaders,
  type EventsStreamQuery,
  SamplesAnswer,
  SamplesQuery,
  type SignalServiceEvent,
  EventsStreamQuery as StreamQuery,
} from "../../../schemas/event.ts";
import { decodeCursor, encodeCursor } from "../../domain/cursor.ts";
import { ulid } from "../../domain/ids.ts";
import { sampleEvent } from "../../domain/webhooks/sample-event.ts";
import { answers } from "../answers.ts";
import type { App } from "../app.ts";
import { callerOf } from "../authentication.ts";
import type { EventFilter } from "../event-filter.ts";
import type { FeedEntry } from "../event-ring.ts";
import type { Parts } from "../parts.ts";
import { validationFailed } from "../problem.ts";
import { spanOf } from "../span.ts";

const EventStreamText = z.string().describe("Server-sent events: the id, kind and JSON of each event.");
const Place = z.strictObject({ after: z.number().int().min(-1) });

/** The answer's schema checks it on its way out. */
const eventOf = ({ text }: FeedEntry): SignalServiceEvent => JSON.parse(text);

const filterOf = (query: EventsStreamQuery, accountId: EventFilter["accountId"]): EventFilter => ({
  accountId,
  signalIds: query.signalId,
  kinds: query.event,
  ...spanOf(query),
});

export const eventRoutes = (app: App, { feed, eventStreams, clock, entropy }: Parts): void => {
  const positionOf = async (filter: EventFilter, after: EventId, path = "after"): Promise<number> => {
    const position = await feed.positionOf(filter.accountId, after);
    if (position === null) throw validationFailed([{ path, message: "is no event that this service knows" }]);
    return position;
  };
  const startOf = async ({ cursor, after }: EventsQuery, filter: EventFilter): Promise<number> => {
    if (cursor !== undefined) return decodeCursor(Place, cursor).after;
    return after === undefined ? -1 : positionOf(filter, after);
  };

  app.get(
    "/v1/events",
    { schema: { querystring: EventsQuery, response: answers({ 200: EventsAnswer }) } },
    async (request) => {
      const { limit } = request.query;
      const filter = filterOf(request.query, callerOf(request).accountId);
      const { entries } = await feed.read(await startOf(request.query, filter), limit + 1, filter);
      const page = entries.slice(0, limit);
      const last = page.at(-1);
      return {
        events: page.map(eventOf),
        nextCursor:
          entries.length > limit && last !== undefined ? encodeCursor({ after: last.position }) : null,
      };
    },
  );

  app.get(
    "/v1/events/samples",
    { schema: { querystring: SamplesQuery, response: answers({ 200: SamplesAnswer }) } },
    async (request) => ({
      events: (request.query.event ?? EventKind.options).map((kind) =>
        sampleEvent(kind, EventId.parse(`evt_${ulid(clock.now(), entropy.bytes(10))}`), clock.now()),
      ),
    }),
  );

  app.get(
    "/v1/events/stream",
    {
      config: { isEndless: true },
      exposeHeadRoute: false,
      schema: {
        produces: ["text/event-stream"],
        querystring: StreamQuery,
        headers: EventsStreamHeaders,
        response: answers({ 200: EventStreamText }),
      },
    },
    async (request, reply) => {
      const { query } = request;
      const key = callerOf(request);
      const filter = filterOf(query, key.accountId);
      const seen = request.headers["last-event-id"];
      const lastId = seen ?? query.after ?? null;
      // "From now on" is taken before anything is awaited.
      const now = query.from === undefined ? feed.end - 1 : -1;
      const path = seen === undefined ? "after" : "Last-Event-ID";
      const after = lastId === null ? now : await positionOf(filter, lastId, path);
      return eventStreams.open(reply, key, { filter, after, lastId });
    },
  );
};
