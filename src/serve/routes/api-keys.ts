import { z } from "zod";
import { type ApiKey, ApiKeyCreate, ApiKeyCreated, ApiKeysAnswer } from "../../../schemas/api-key.ts";
import { ApiKeyId, ListQuery, type PersonId } from "../../../schemas/common.ts";
import { API_KEY_BYTES, apiKeyHash, apiKeyPrefix, generateApiKey } from "../../domain/api-key.ts";
import type { ApiKeyRecord } from "../../ports/control-store.ts";
import { answers, timestamp } from "../answers.ts";
import type { App } from "../app.ts";
import { allows, callerOf } from "../authentication.ts";
import type { Caller } from "../caller.ts";
import type { Parts } from "../parts.ts";
import { requireProof } from "../people/proof.ts";
import { notFound, ProblemError, validationFailed } from "../problem.ts";

const BASE = "/v1/api-keys";
const KeyPath = z.strictObject({ id: ApiKeyId });
const KEYS = { access: "keys" } as const;

/** Whose keys a caller sees and revokes; null: everybody's. */
const makerOf = (caller: Caller): PersonId | null => (allows(caller, "admin") ? null : caller.personId);

const orNull = (ms: number | null): string | null => (ms === null ? null : timestamp(ms));

const shown = ({ id, name, prefix, scopes, createdAt, expiresAt, lastUsedAt }: ApiKeyRecord): ApiKey => ({
  id,
  name,
  prefix,
  scopes: [...scopes],
  createdAt: timestamp(createdAt),
  expiresAt: orNull(expiresAt),
  lastUsedAt: orNull(lastUsedAt),
});

export const apiKeyRoutes = (app: App, { control: { apiKeys }, by, clock, entropy, once }: Parts): void => {
  const expiryOf = (expiresAt: string | null): number | null => {
    const at = expiresAt === null ? null : Date.parse(expiresAt);
    if (at !== null && at <= clock.now())
      throw validationFailed([{ path: "expiresAt", message: "must be in the future" }]);
    return at;
  };

  app.post(
    BASE,
    { config: KEYS, schema: { body: ApiKeyCreate, response: answers({ 201: ApiKeyCreated }) } },
    (request, reply) =>
      once(request, reply, async (within) => {
        const caller = callerOf(request);
        requireProof(caller, clock);
        const { name, scopes } = request.body;
        const beyond = scopes.find((scope) => !allows(caller, scope));
        if (beyond !== undefined)
          throw new ProblemError("forbidden", `your role has no scope ${beyond} to give to a key`);
        const expiresAt = expiryOf(request.body.expiresAt);
        const key = generateApiKey(entropy.bytes(API_KEY_BYTES));
        const { personId } = caller;
        const details = {
          name,
          scopes,
          expiresAt,
          personId,
          prefix: apiKeyPrefix(key),
          hash: apiKeyHash(key),
        };
        const made = await within.apiKeys.create(caller.accountId, details);
        return { status: 201, headers: { Location: `${BASE}/${made.id}` }, body: { ...shown(made), key } };
      }),
  );

  app.get(
    BASE,
    { config: KEYS, schema: { querystring: ListQuery, response: answers({ 200: ApiKeysAnswer }) } },
    async (request) => {
      const caller = callerOf(request);
      const page = await apiKeys.list(caller.accountId, request.query, makerOf(caller));
      return { apiKeys: page.items.map(shown), nextCursor: page.next };
    },
  );

  app.delete(`${BASE}/:id`, { config: KEYS, schema: { params: KeyPath } }, async (request, reply) => {
    const caller = callerOf(request);
    const { id } = request.params;
    if (!(await by(request).apiKeys.revoke(caller.accountId, id, makerOf(caller))))
      throw notFound("API key of this id");
    return reply.code(204).send();
  });
};
