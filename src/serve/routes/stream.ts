import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { StreamTicket } from "../../../schemas/stream.ts";
import { answers, timestamp } from "../answers.ts";
import type { App } from "../app.ts";
import { bearerToken, callerOf } from "../authentication.ts";
import { type Caller, callerBySession } from "../caller.ts";
import type { Parts } from "../parts.ts";
import { isFromOurPage } from "../people/same-origin.ts";
import { ProblemError } from "../problem.ts";

const StreamQuery = z.strictObject({
  ticket: z.string().max(200).optional().describe("As POST /v1/stream/tickets gave it."),
});

export const streamRoutes = (
  app: App,
  { hub, callers, people, tickets, onceBeside, countRequest }: Parts,
): void => {
  const callerOfStream = async (request: FastifyRequest): Promise<Caller | null> => {
    const query = StreamQuery.safeParse(request.query);
    // A query that is refused later on spends no ticket.
    if (!query.success) return null;
    const { ticket } = query.data;
    if (ticket !== undefined) {
      const ticketed = await tickets.redeem(ticket, request.ip);
      return ticketed === null ? null : callers.byId(ticketed.id, ticketed.endsAt);
    }
    const token = bearerToken(request);
    if (token !== null) return callers.byBearer(token, request.ip);
    // A page of somebody else can open a socket, and the browser sends the cookie along.
    if (!isFromOurPage(request, people.access.publicUrl)) return null;
    const cookie = people.cookies.read(request, "session");
    const session = cookie === null ? null : await callers.session(cookie, request.ip);
    return session === null ? null : callerBySession(session);
  };

  app.route({
    method: "GET",
    url: "/v1/stream",
    // A missing key closes with 4401: a browser shows its page no status of a refused upgrade.
    config: { access: "public", isEndless: true },
    schema: { querystring: StreamQuery },
    onRequest: async (request, reply) => {
      if (!request.ws) return;
      request.caller = await callerOfStream(request);
      if (request.caller !== null) await countRequest(request.caller, reply);
    },
    handler: () => {
      throw new ProblemError("validation_failed", "this is a WebSocket: send Upgrade: websocket");
    },
    wsHandler: (socket, request) => hub.open(socket, request.caller),
  });

  app.post(
    "/v1/stream/tickets",
    { config: { access: "read" }, schema: { response: answers({ 201: StreamTicket }) } },
    (request, reply) =>
      onceBeside(request, reply, async () => {
        const { ticket, expiresAtMs } = await tickets.issue(callerOf(request));
        return { status: 201, body: { ticket, expiresAt: timestamp(expiresAtMs) } };
      }),
  );
};
