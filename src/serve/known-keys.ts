import type { ApiKeyId } from "../../schemas/common.ts";
import { apiKeyHash, isApiKey } from "../domain/api-key.ts";
import type { Clock } from "../ports/clock.ts";
import type { ApiKeys, StoredApiKey } from "../ports/control-store.ts";
import type { Logger } from "../ports/telemetry.ts";
import { Background } from "./background.ts";
import { UnknownCallers } from "./unknown-callers.ts";

/** Below the 5 s within which a revoked key must stop working. */
export const KEY_TTL_MS = 4_000;
const KEYS_MAX = 1_000;
/** When a key was last used is told to the minute. */
const USED_EVERY_MS = 60_000;

interface Answer {
  readonly key: StoredApiKey | null;
  readonly until: number;
}
type Keys = Pick<ApiKeys, "findByHash" | "get" | "used">;

/** The newest so many answers. */
class Answers {
  readonly #answers = new Map<string, Answer>();

  get(name: string): Answer | undefined {
    return this.#answers.get(name);
  }

  set(name: string, answer: Answer): void {
    this.#answers.delete(name);
    const oldest = this.#answers.keys().next();
    if (this.#answers.size >= KEYS_MAX && !oldest.done) this.#answers.delete(oldest.value);
    this.#answers.set(name, answer);
  }

  delete(name: string): void {
    this.#answers.delete(name);
  }
}

/**
 * Finds keys by their hash, remembering the newest 1,000 keys and, apart from them, the newest 1,000 that are none, each
 * for 4 s. How many unknown ones a peer can have looked up is bounded; for a key that was seen before that never counts.
 */
export class KnownKeys {
  readonly #apiKeys: Keys;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #found = new Answers();
  readonly #unknown = new Answers();
  readonly #callers: UnknownCallers;
  readonly #used = new Map<ApiKeyId, number>();
  readonly #background = new Background();
  readonly #cancel: () => void;

  constructor(apiKeys: Keys, clock: Clock, log: Logger, callers = new UnknownCallers()) {
    this.#callers = callers;
    this.#apiKeys = apiKeys;
    this.#clock = clock;
    this.#log = log;
    this.#cancel = clock.every(USED_EVERY_MS, () => this.#tellUse());
  }

  /** Null for one that is unknown, mistyped, revoked or has expired. `peer`: whose look-ups in vain are counted. */
  async find(text: string, peer: string): Promise<StoredApiKey | null> {
    if (!isApiKey(text)) return null;
    const hash = apiKeyHash(text);
    const name = Buffer.from(hash).toString("base64");
    const seen = this.#found.get(name);
    const known = seen ?? this.#unknown.get(name);
    if (known !== undefined && known.until > this.#clock.monotonic()) return this.#valid(known.key);
    const look = () => this.#look(name, hash);
    return this.#valid(await (seen === undefined ? this.#callers.lookUp(peer, look) : look()));
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
    const [home, other] = key === null ? [this.#unknown, this.#found] : [this.#found, this.#unknown];
    home.set(name, { key, until: this.#clock.monotonic() + KEY_TTL_MS });
    other.delete(name);
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
