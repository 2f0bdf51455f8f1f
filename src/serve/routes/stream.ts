import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { StreamTicket } from "../../../schemas/stream.ts";
import type { StoredApiKey } from "../../ports/control-store.ts";
import { answers, timestamp } from "../answers.ts";
import type { App } from "../app.ts";
import { bearerToken, callerOf } from "../authentication.ts";
import type { Parts } from "../parts.ts";
import { ProblemError } from "../problem.ts";

const StreamQuery = z.strictObject({
  ticket: z.string().max(200).optional().describe("As POST /v1/stream/tickets gave it."),
});

export const streamRoutes = (app: App, { hub, keys, tickets, onceBeside, countRequest }: Parts): void => {
  const keyOf = async (request: FastifyRequest): Promise<StoredApiKey | null> => {
    const query = StreamQuery.safeParse(request.query);
    // A query that is refused later on spends no ticket.
    if (!query.success) return null;
    const { ticket } = query.data;
    if (ticket !== undefined) return tickets.redeem(ticket, request.ip);
    const token = bearerToken(request);
    return token === null ? null : keys.find(token, request.ip);
  };

  app.route({
    method: "GET",
    url: "/v1/stream",
    // A missing key closes with 4401: a browser shows its page no status of a refused upgrade.
    config: { access: "public", isEndless: true },
    schema: { querystring: StreamQuery },
    onRequest: async (request, reply) => {
      if (!request.ws) return;
      request.apiKey = await keyOf(request);
      if (request.apiKey !== null) await countRequest(request.apiKey, reply);
    },
    handler: () => {
      throw new ProblemError("validation_failed", "this is a WebSocket: send Upgrade: websocket");
    },
    wsHandler: (socket, request) => hub.open(socket, request.apiKey),
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
