import { apiKeyHash, isApiKey } from "../domain/api-key.ts";
import type { Clock } from "../ports/clock.ts";
import type { ApiKeys, StoredApiKey } from "../ports/control-store.ts";

/** Below the 5 s within which a revoked key must stop working. */
export const KEY_TTL_MS = 4_000;
const KEYS_MAX = 1_000;

/** Finds keys by their hash, remembering the newest 1,000 answers for 4 s: valid ones and unknown ones alike. */
export const knownKeys = (apiKeys: ApiKeys, clock: Clock) => {
  const answers = new Map<string, { key: StoredApiKey | null; until: number }>();
  return async (text: string): Promise<StoredApiKey | null> => {
    if (!isApiKey(text)) return null;
    const hash = apiKeyHash(text);
    const name = Buffer.from(hash).toString("base64");
    const known = answers.get(name);
    if (known !== undefined && known.until > clock.monotonic()) return known.key;
    const key = await apiKeys.findByHash(hash);
    const oldest = answers.keys().next();
    answers.delete(name);
    if (answers.size >= KEYS_MAX && !oldest.done) answers.delete(oldest.value);
    answers.set(name, { key, until: clock.monotonic() + KEY_TTL_MS });
    return key;
  };
};
export type KnownKeys = ReturnType<typeof knownKeys>;
