import { z } from "zod";
import { type ApiKey, ApiKeyCreate, ApiKeyCreated, ApiKeysAnswer } from "../../../schemas/api-key.ts";
import { ApiKeyId, ListQuery } from "../../../schemas/common.ts";
import { API_KEY_BYTES, apiKeyHash, apiKeyPrefix, generateApiKey } from "../../domain/api-key.ts";
import type { ApiKeyRecord } from "../../ports/control-store.ts";
import { answers, timestamp } from "../answers.ts";
import type { App } from "../app.ts";
import { callerOf } from "../authentication.ts";
import type { Parts } from "../parts.ts";
import { notFound, validationFailed } from "../problem.ts";

const BASE = "/v1/api-keys";
const KeyPath = z.strictObject({ id: ApiKeyId });
const ADMIN = { access: "admin" } as const;

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

export const apiKeyRoutes = (app: App, { control: { apiKeys }, clock, entropy, once }: Parts): void => {
  const expiryOf = (expiresAt: string | null): number | null => {
    const at = expiresAt === null ? null : Date.parse(expiresAt);
    if (at !== null && at <= clock.now())
      throw validationFailed([{ path: "expiresAt", message: "must be in the future" }]);
    return at;
  };

  app.post(
    BASE,
    { config: ADMIN, schema: { body: ApiKeyCreate, response: answers({ 201: ApiKeyCreated }) } },
    (request, reply) =>
      once(request, reply, async (within) => {
        const { name, scopes } = request.body;
        const expiresAt = expiryOf(request.body.expiresAt);
        const key = generateApiKey(entropy.bytes(API_KEY_BYTES));
        const details = { name, scopes, expiresAt, prefix: apiKeyPrefix(key), hash: apiKeyHash(key) };
        const made = await within.apiKeys.create(callerOf(request).accountId, details);
        return { status: 201, headers: { Location: `${BASE}/${made.id}` }, body: { ...shown(made), key } };
      }),
  );

  app.get(
    BASE,
    { config: ADMIN, schema: { querystring: ListQuery, response: answers({ 200: ApiKeysAnswer }) } },
    async (request) => {
      const page = await apiKeys.list(callerOf(request).accountId, request.query);
      return { apiKeys: page.items.map(shown), nextCursor: page.next };
    },
  );

  app.delete(`${BASE}/:id`, { config: ADMIN, schema: { params: KeyPath } }, async (request, reply) => {
    if (!(await apiKeys.revoke(callerOf(request).accountId, request.params.id)))
      throw notFound("API key of this id");
    return reply.code(204).send();
  });
};
