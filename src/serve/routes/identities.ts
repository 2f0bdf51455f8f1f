import { z } from "zod";
import { IdentityId } from "../../../schemas/common.ts";
import { IdentitiesAnswer } from "../../../schemas/me.ts";
import { providerName, removeIdentity } from "../../access/outside.ts";
import { answers, timestamp } from "../answers.ts";
import type { App } from "../app.ts";
import { callerOf, ownSessionOf } from "../authentication.ts";
import type { Parts } from "../parts.ts";
import { requireProof } from "../people/proof.ts";
import { notFound, ProblemError } from "../problem.ts";

const config = { access: "person" } as const;
const IdentityPath = z.strictObject({ id: IdentityId });

/** The accounts elsewhere that people sign in with. More are linked in the browser: see people/link-page.ts. */
export const identityRoutes = (app: App, { access, people, clock }: Parts): void => {
  const { identities } = access.control.access;

  app.get(
    "/v1/me/identities",
    { config, schema: { response: answers({ 200: IdentitiesAnswer }) } },
    async (request) => {
      const { personId } = ownSessionOf(request);
      const person = await access.control.access.people.get(personId);
      return {
        password: person !== null && person.password !== null,
        identities: (await identities.of(personId)).map(({ id, issuer, subject, createdAt }) => ({
          id,
          provider: providerName(access, issuer),
          issuer,
          subject,
          linkedAt: timestamp(createdAt),
        })),
        providers: access.outside.all.map(({ id, name }) => ({ id, name, linkPath: `/link/with/${id}` })),
      };
    },
  );

  app.delete(
    "/v1/me/identities/:id",
    { config, schema: { params: IdentityPath } },
    async (request, reply) => {
      requireProof(callerOf(request), clock);
      const { personId } = ownSessionOf(request);
      const outcome = await removeIdentity(people.by(request), personId, request.params.id);
      if (outcome === "not_found") throw notFound("identity of this id");
      if (outcome === "last")
        throw new ProblemError(
          "conflict",
          "you could not sign in any more: set a password first, by a link from /forgot-password",
        );
      return reply.code(204).send();
    },
  );
};
