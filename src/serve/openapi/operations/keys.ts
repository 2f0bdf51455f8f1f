import type { Operations } from "./operation.ts";

const KEY = {
  id: "key_01JDA2V3Q8R5T7W9Y1B3D5F7H9",
  name: "dashboard",
  prefix: "sos_Ab12",
  scopes: ["read"],
  createdAt: "2026-01-30T08:00:00.000Z",
  expiresAt: null,
  lastUsedAt: null,
};

export const KEYS: Operations = {
  "POST /v1/api-keys": {
    id: "createApiKey",
    tag: "Keys",
    summary: "Make an API key",
    description: "The answer is the only one that holds the key itself.",
    body: { name: "dashboard", scopes: ["read"] },
    answer: { 201: { ...KEY, key: "sos_Ab12…" } },
    errors: ["proof_required"],
  },
  "GET /v1/api-keys": {
    id: "listApiKeys",
    tag: "Keys",
    summary: "List API keys",
    description: "With when they were last used; never the keys themselves.",
    answer: { 200: { apiKeys: [KEY], nextCursor: null } },
  },
  "DELETE /v1/api-keys/:id": {
    id: "revokeApiKey",
    tag: "Keys",
    summary: "Revoke an API key",
    description: "It works no more, and its streams are closed, within 5 seconds everywhere.",
  },
};
