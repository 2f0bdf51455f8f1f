import type { Operation } from "./operations/operation.ts";
import type { Described } from "./raw.ts";

const IDEMPOTENCY_KEY = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "Of your making, such as a UUID: the request may be sent again with it for 24 hours, and is done once.",
  schema: { type: "string", minLength: 1, maxLength: 255 },
  example: "7c0f6d0e-9d0b-4d6e-8a5c-6f3a1f0b2c3d",
};
const IF_MATCH = {
  name: "If-Match",
  in: "header",
  required: false,
  description: "The ETag of what you have seen: refused (412) when it has been changed since.",
  schema: { type: "string" },
  example: '"3"',
};

/** What is never changed but as a whole, or by one person at a time. */
const WITHOUT_REVISION = /^\/v1\/(api-keys|invitations|me)\//;
const isItem = (path: string): boolean => path === "/v1/account" || /\{[^}]+\}$/.test(path);
/** Whether `If-Match` may guard it. */
export const changesItem = (method: string, path: string): boolean =>
  ["patch", "delete"].includes(method) && isItem(path) && !WITHOUT_REVISION.test(path);
/** Whether an `Idempotency-Key` may come with it. */
export const isRepeatable = (method: string, operation: Operation): boolean =>
  method === "post" && operation.plain !== true;

/** The headers that a request may carry, as parameters. */
export const requestHeaders = (method: string, path: string, operation: Operation): Described[] => [
  ...(isRepeatable(method, operation) ? [IDEMPOTENCY_KEY] : []),
  ...(changesItem(method, path) ? [IF_MATCH] : []),
];
