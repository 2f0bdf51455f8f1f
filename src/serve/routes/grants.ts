import { z } from "zod";
import { ListQuery, OAuthGrantId } from "../../../schemas/common.ts";
import { type OAuthGrant, OAuthGrantsAnswer } from "../../../schemas/oauth-grant.ts";
import type { OAuthGrant as StoredGrant } from "../../ports/oauth.ts";
import { answers, timestamp } from "../answers.ts";
import type { App } from "../app.ts";
import { ownSessionOf } from "../authentication.ts";
import type { Parts } from "../parts.ts";
import { notFound } from "../problem.ts";

const config = { access: "person" } as const;
const GrantPath = z.strictObject({ id: OAuthGrantId });

const shown = (grant: StoredGrant): OAuthGrant => ({
  id: grant.id,
  client: { id: grant.clientId, name: grant.clientName },
  accountId: grant.accountId,
  scopes: [...grant.scopes],
  createdAt: timestamp(grant.createdAt),
  lastUsedAt: grant.lastUsedAt === null ? null : timestamp(grant.lastUsedAt),
  expiresAt: timestamp(grant.expiresAt),
});

/** Which programs somebody let in. */
export const grantRoutes = (app: App, { access, by }: Pick<Parts, "access" | "by">): void => {
  const { grants } = access.control.access.oauth;

  app.get(
    "/v1/me/grants",
    { config, schema: { querystring: ListQuery, response: answers({ 200: OAuthGrantsAnswer }) } },
    async (request) => {
      const page = await grants.list(ownSessionOf(request).personId, request.query);
      return { grants: page.items.map(shown), nextCursor: page.next };
    },
  );

  app.delete("/v1/me/grants/:id", { config, schema: { params: GrantPath } }, async (request, reply) => {
    const { personId } = ownSessionOf(request);
    if (!(await by(request).access.oauth.grants.end(request.params.id, personId)))
      throw notFound("grant of this id");
    return reply.code(204).send();
  });
};
