import type { Operations } from "./operation.ts";

const CLIENT = {
  id: "ocl_01JDA2V3Q8R5T7W9Y1B3D5F7H9",
  name: "Wallboard",
  grants: ["authorization_code"],
  scopes: ["read"],
  redirectUris: ["https://wallboard.example/callback"],
  accessTokens: "opaque",
  confidential: true,
  createdAt: "2026-01-30T08:00:00.000Z",
  updatedAt: "2026-01-30T08:00:00.000Z",
};
const { id: _id, createdAt: _made, updatedAt: _changed, ...BODY } = CLIENT;
const SECRET = { clientSecret: "3q2-7wE4bXl0cGxhY2Vob2xkZXJzZWNyZXQtb25seS4" };

export const OAUTH: Operations = {
  "POST /v1/oauth/clients": {
    id: "createOAuthClient",
    tag: "OAuth",
    summary: "Register a program",
    description:
      "The answer is the only one that holds its secret. People of the account can let it in. What it does for itself (`client_credentials`) is bounded by what whoever registers it may do, now: where they are suspended or removed, it gets no token, and those it has open nothing within 5 seconds.",
    body: BODY,
    answer: { 201: { ...CLIENT, ...SECRET } },
    errors: ["conflict", "proof_required"],
  },
  "GET /v1/oauth/clients": {
    id: "listOAuthClients",
    tag: "OAuth",
    summary: "List registered programs",
    description: "In the order of making; never their secrets.",
    answer: { 200: { clients: [CLIENT], nextCursor: null } },
  },
  "GET /v1/oauth/clients/:id": {
    id: "getOAuthClient",
    tag: "OAuth",
    summary: "Get a registered program",
    description: "Without its secret.",
    answer: { 200: CLIENT },
  },
  "PATCH /v1/oauth/clients/:id": {
    id: "updateOAuthClient",
    tag: "OAuth",
    summary: "Change a registered program",
    description:
      "What people allowed it before stays allowed, within the scopes that it has: fewer hold within 5 seconds everywhere.",
    body: { name: "Wallboard, third floor" },
    answer: { 200: { ...CLIENT, name: "Wallboard, third floor" } },
    errors: ["proof_required"],
  },
  "POST /v1/oauth/clients/:id/rotate-secret": {
    id: "rotateOAuthClientSecret",
    tag: "OAuth",
    summary: "Make a new secret",
    description:
      "The one before works no more, at once. Whoever makes it answers from now on for what the program does for itself: tokens for that which it got under somebody else open nothing within 5 seconds; all others hold as long as they would.",
    answer: { 200: SECRET },
    errors: ["conflict", "proof_required"],
  },
  "DELETE /v1/oauth/clients/:id": {
    id: "deleteOAuthClient",
    tag: "OAuth",
    summary: "Remove a registered program",
    description:
      "With all that people allowed it: its tokens do nothing any more within 5 seconds everywhere.",
  },
  "GET /v1/me/grants": {
    id: "listGrants",
    tag: "Me",
    summary: "Which programs you let in",
    description: "In the order of letting them in.",
    answer: {
      200: {
        grants: [
          {
            id: "ogr_01JDA2V3Q8R5T7W9Y1B3D5F7H9",
            client: { id: CLIENT.id, name: CLIENT.name },
            accountId: "acc_01JDA2V3Q8R5T7W9Y1B3D5F7H9",
            scopes: ["read"],
            createdAt: "2026-01-30T10:00:00.000Z",
            lastUsedAt: "2026-01-30T10:05:00.000Z",
            expiresAt: "2026-03-01T10:00:00.000Z",
          },
        ],
        nextCursor: null,
      },
    },
  },
  "DELETE /v1/me/grants/:id": {
    id: "revokeGrant",
    tag: "Me",
    summary: "Let a program in no more",
    description: "Its tokens work no more within 5 seconds everywhere.",
  },
};
