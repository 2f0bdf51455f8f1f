import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { StreamTicket } from "../../../schemas/stream.ts";
import type { StoredApiKey } from "../../ports/control-store.ts";
import { answers, timestamp } from "../answers.ts";
import type { App } from "../app.ts";
import { bearerToken, callerOf } from "../authentication.ts";
import type { Parts } from "../parts.ts";
import { ProblemError } from "../problem.ts";

const StreamQuery = z.strictObject({ ticket: z.string().max(200).optional() });

export const streamRoutes = (app: App, { hub, keys, tickets, onceBeside }: Parts): void => {
  const keyOf = async (request: FastifyRequest): Promise<StoredApiKey | null> => {
    const { ticket } = StreamQuery.safeParse(request.query).data ?? {};
    if (ticket !== undefined) return tickets.redeem(ticket);
    const token = bearerToken(request);
    return token === null ? null : keys.find(token);
  };

  app.route({
    method: "GET",
    url: "/v1/stream",
    // A missing key closes with 4401: a browser shows its page no status of a refused upgrade.
    config: { access: "public", isEndless: true },
    onRequest: async (request) => {
      if (request.ws) request.apiKey = await keyOf(request);
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
