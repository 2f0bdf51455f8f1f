import type { ApiKeyId } from "../../schemas/common.ts";
import { apiKeyHash, isApiKey } from "../domain/api-key.ts";
import type { Clock } from "../ports/clock.ts";
import type { ApiKeys, StoredApiKey } from "../ports/control-store.ts";
import type { Logger } from "../ports/telemetry.ts";
import { LastUses } from "./last-uses.ts";
import { RememberedAnswers } from "./remembered.ts";
import { UnknownCallers } from "./unknown-callers.ts";

/** Below the 5 s within which a revoked key must stop working. */
export const KEY_TTL_MS = 4_000;
const KEYS_MAX = 1_000;

type Keys = Pick<ApiKeys, "findByHash" | "find" | "used">;

/**
 * Finds keys by their hash, remembering the newest 1,000 keys and, apart from them, the newest 1,000 that are none, each
 * for 4 s. How many unknown ones a peer can have looked up is bounded; for a key that was seen before that never counts.
 */
export class KnownKeys {
  readonly #apiKeys: Keys;
  readonly #clock: Clock;
  readonly #found: RememberedAnswers<StoredApiKey>;
  readonly #unknown: RememberedAnswers<null>;
  readonly #callers: UnknownCallers;
  readonly #uses: LastUses<ApiKeyId>;

  constructor(apiKeys: Keys, clock: Clock, log: Logger, callers = new UnknownCallers()) {
    this.#callers = callers;
    this.#apiKeys = apiKeys;
    this.#clock = clock;
    const kept = { ttlMs: KEY_TTL_MS, max: KEYS_MAX };
    this.#found = new RememberedAnswers(clock, kept);
    this.#unknown = new RememberedAnswers(clock, kept);
    this.#uses = new LastUses(clock, (at) => apiKeys.used(at), { log, failure: "key_use_not_saved" });
  }

  /** Null for one that is unknown, mistyped, revoked or has expired. `peer`: whose look-ups in vain are counted. */
  async find(text: string, peer: string): Promise<StoredApiKey | null> {
    if (!isApiKey(text)) return null;
    const hash = apiKeyHash(text);
    const name = Buffer.from(hash).toString("base64");
    const known = this.#found.get(name) ?? this.#unknown.get(name);
    if (known !== undefined) return this.#valid(known);
    const look = () => this.#look(name, hash);
    return this.#valid(await (this.#found.has(name) ? look() : this.#callers.lookUp(peer, look)));
  }

  /** As `find`, of one that was let in before. */
  async byId(id: ApiKeyId): Promise<StoredApiKey | null> {
    return this.#valid(await this.#apiKeys.find(id));
  }

  stop(): Promise<void> {
    return this.#uses.stop();
  }

  #valid(key: StoredApiKey | null): StoredApiKey | null {
    if (key === null || (key.expiresAt !== null && key.expiresAt <= this.#clock.now())) return null;
    this.#uses.used(key.id);
    return key;
  }

  async #look(name: string, hash: Uint8Array): Promise<StoredApiKey | null> {
    const key = await this.#apiKeys.findByHash(hash);
    this.#found.delete(name);
    this.#unknown.delete(name);
    if (key === null) this.#unknown.set(name, null);
    else this.#found.set(name, key);
    return key;
  }
}
