import type { FastifyReply } from "fastify";
import { z } from "zod";
import { ListQuery, OAuthClientId } from "../../../schemas/common.ts";
import {
  type OAuthClient,
  OAuthClientCreate,
  OAuthClientCreated,
  OAuthClientPatch,
  OAuthClientSecret,
  OAuthClient as OAuthClientShown,
  OAuthClientsAnswer,
} from "../../../schemas/oauth-client.ts";
import { newToken } from "../../access/parts.ts";
import type { OAuthClient as StoredClient } from "../../ports/oauth.ts";
import { answers, timestamp } from "../answers.ts";
import type { App } from "../app.ts";
import { callerOf } from "../authentication.ts";
import { etagOf, expectedOf } from "../etag.ts";
import type { Parts } from "../parts.ts";
import { requireProof } from "../people/proof.ts";
import { notFound } from "../problem.ts";
import { made } from "../settle.ts";

const BASE = "/v1/oauth/clients";
const ADMIN = { access: "admin" } as const;
const ClientPath = z.strictObject({ id: OAuthClientId });
const WHAT = "OAuth client of this id";

const shown = ({ id, settings, createdAt, updatedAt }: StoredClient): OAuthClient => ({
  ...settings,
  id,
  createdAt: timestamp(createdAt),
  updatedAt: timestamp(updatedAt),
});

/** Programs that an account registers, so that people can let them in, or that act for it. */
export const oauthClientRoutes = (app: App, { access, by, clock, entropy, once }: Parts): void => {
  const { clients } = access.control.access.oauth;
  const answered = (reply: FastifyReply, client: StoredClient) =>
    reply.header("ETag", etagOf(client.revision)).send(shown(client));

  app.post(
    BASE,
    { config: ADMIN, schema: { body: OAuthClientCreate, response: answers({ 201: OAuthClientCreated }) } },
    (request, reply) =>
      once(request, reply, async (within) => {
        const caller = callerOf(request);
        requireProof(caller, clock);
        const clientSecret = request.body.confidential ? newToken({ entropy }) : null;
        const { oauth } = within.access;
        const { value } = made(
          WHAT,
          await oauth.clients.create(caller.accountId, request.body, clientSecret, caller.personId),
        );
        const headers = { Location: `${BASE}/${value.id}`, ETag: etagOf(value.revision) };
        return { status: 201, headers, body: { ...shown(value), clientSecret } };
      }),
  );

  app.get(
    BASE,
    { config: ADMIN, schema: { querystring: ListQuery, response: answers({ 200: OAuthClientsAnswer }) } },
    async (request) => {
      const page = await clients.list(callerOf(request).accountId, request.query);
      return { clients: page.items.map(shown), nextCursor: page.next };
    },
  );

  app.get(
    `${BASE}/:id`,
    { config: ADMIN, schema: { params: ClientPath, response: answers({ 200: OAuthClientShown }) } },
    async (request, reply) => {
      const client = await clients.get(callerOf(request).accountId, request.params.id);
      if (client === null) throw notFound(WHAT);
      return answered(reply, client);
    },
  );

  app.patch(
    `${BASE}/:id`,
    {
      config: ADMIN,
      schema: { params: ClientPath, body: OAuthClientPatch, response: answers({ 200: OAuthClientShown }) },
    },
    async (request, reply) => {
      const caller = callerOf(request);
      requireProof(caller, clock);
      const { id } = request.params;
      const mine = by(request).access.oauth.clients;
      const changed = await mine.update(caller.accountId, id, request.body, expectedOf(request));
      return answered(reply, made(WHAT, changed).value);
    },
  );

  app.post(
    `${BASE}/:id/rotate-secret`,
    { config: ADMIN, schema: { params: ClientPath, response: answers({ 200: OAuthClientSecret }) } },
    (request, reply) =>
      once(request, reply, async (within) => {
        const caller = callerOf(request);
        requireProof(caller, clock);
        const clientSecret = newToken({ entropy });
        const { oauth } = within.access;
        const { accountId, personId } = caller;
        made(WHAT, await oauth.clients.setSecret(accountId, request.params.id, clientSecret, personId));
        return { status: 200, body: { clientSecret } };
      }),
  );

  app.delete(`${BASE}/:id`, { config: ADMIN, schema: { params: ClientPath } }, async (request, reply) => {
    const { accountId } = callerOf(request);
    const mine = by(request).access.oauth.clients;
    made(WHAT, await mine.remove(accountId, request.params.id, expectedOf(request)));
    return reply.code(204).send();
  });
};
