import type { ApiKeyId } from "../../schemas/common.ts";
import { apiKeyHash, isApiKey } from "../domain/api-key.ts";
import type { Clock } from "../ports/clock.ts";
import type { ApiKeys, StoredApiKey } from "../ports/control-store.ts";
import type { Logger } from "../ports/telemetry.ts";
import { Background } from "./background.ts";

/** Below the 5 s within which a revoked key must stop working. */
export const KEY_TTL_MS = 4_000;
const KEYS_MAX = 1_000;
/** When a key was last used is told to the minute. */
const USED_EVERY_MS = 60_000;

type Keys = Pick<ApiKeys, "findByHash" | "get" | "used">;

/** Finds keys by their hash, remembering the newest 1,000 answers for 4 s: valid ones and unknown ones alike. */
export class KnownKeys {
  readonly #apiKeys: Keys;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #answers = new Map<string, { key: StoredApiKey | null; until: number }>();
  readonly #used = new Map<ApiKeyId, number>();
  readonly #background = new Background();
  readonly #cancel: () => void;

  constructor(apiKeys: Keys, clock: Clock, log: Logger) {
    this.#apiKeys = apiKeys;
    this.#clock = clock;
    this.#log = log;
    this.#cancel = clock.every(USED_EVERY_MS, () => this.#tellUse());
  }

  /** Null for one that is unknown, mistyped, revoked or has expired. */
  async find(text: string): Promise<StoredApiKey | null> {
    if (!isApiKey(text)) return null;
    const hash = apiKeyHash(text);
    const name = Buffer.from(hash).toString("base64");
    const known = this.#answers.get(name);
    const isFresh = known !== undefined && known.until > this.#clock.monotonic();
    const key = isFresh ? known.key : await this.#look(name, hash);
    return this.#valid(key);
  }

  /** Whether a key that was let in before still holds: for what stays open long after its request. */
  async holds({ accountId, id }: StoredApiKey): Promise<boolean> {
    return this.#valid(await this.#apiKeys.get(accountId, id)) !== null;
  }

  async stop(): Promise<void> {
    this.#cancel();
    this.#tellUse();
    await this.#background.settled();
  }

  #valid(key: StoredApiKey | null): StoredApiKey | null {
    const now = this.#clock.now();
    if (key === null || (key.expiresAt !== null && key.expiresAt <= now)) return null;
    this.#used.set(key.id, now);
    return key;
  }

  async #look(name: string, hash: Uint8Array): Promise<StoredApiKey | null> {
    const key = await this.#apiKeys.findByHash(hash);
    const oldest = this.#answers.keys().next();
    this.#answers.delete(name);
    if (this.#answers.size >= KEYS_MAX && !oldest.done) this.#answers.delete(oldest.value);
    this.#answers.set(name, { key, until: this.#clock.monotonic() + KEY_TTL_MS });
    return key;
  }

  #tellUse(): void {
    const used = new Map(this.#used);
    this.#used.clear();
    this.#background.run(
      () => this.#apiKeys.used(used),
      (err) => this.#log.warn({ err }, "key_use_not_saved"),
    );
  }
}
