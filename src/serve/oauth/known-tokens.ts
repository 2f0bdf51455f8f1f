import { type OAuthClientId, OAuthGrantId } from "../../../schemas/common.ts";
import type { Clock } from "../../ports/clock.ts";
import type { OAuthGrants } from "../../ports/oauth.ts";
import type { Logger } from "../../ports/telemetry.ts";
import { Background } from "../background.ts";
import { KEY_TTL_MS } from "../known-keys.ts";
import { RememberedAnswers } from "../remembered.ts";
import { UnknownCallers } from "../unknown-callers.ts";
import { isAccessToken, type TokenAccess, type TokenFinder } from "./token-finder.ts";

const TOKENS_MAX = 1_000;
/** When a grant was last used is told to the minute. */
const USED_EVERY_MS = 60_000;

/**
 * Finds access tokens, remembering the newest 1,000 for 4 s: what was revoked works no more within 5 s. How many unknown
 * ones a peer can have looked up is bounded; for a token that was seen before that never counts.
 */
export class KnownTokens {
  readonly #tokens: TokenFinder;
  readonly #grants: Pick<OAuthGrants, "used">;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #found: RememberedAnswers<TokenAccess>;
  readonly #callers: UnknownCallers;
  readonly #used = new Map<OAuthGrantId, number>();
  readonly #background = new Background();
  readonly #cancel: () => void;

  constructor(
    tokens: TokenFinder,
    grants: Pick<OAuthGrants, "used">,
    clock: Clock,
    log: Logger,
    callers = new UnknownCallers(),
  ) {
    this.#tokens = tokens;
    this.#grants = grants;
    this.#clock = clock;
    this.#log = log;
    this.#callers = callers;
    this.#found = new RememberedAnswers(clock, { ttlMs: KEY_TTL_MS, max: TOKENS_MAX });
    this.#cancel = clock.every(USED_EVERY_MS, () => this.#tellUse());
  }

  /** Null: it is none, or works no more. `peer`: whose look-ups in vain are counted. */
  async find(token: string, peer: string): Promise<TokenAccess | null> {
    if (!isAccessToken(token)) return null;
    const access = this.#found.get(token) ?? (await this.#look(token, peer));
    const now = this.#clock.now();
    if (access === null || access.expiresAt <= now) return null;
    this.#use(access, now);
    return access;
  }

  /** As `find`, of what was let in before. */
  byId(id: OAuthGrantId | OAuthClientId): ReturnType<TokenFinder["byId"]> {
    return this.#tokens.byId(id);
  }

  async stop(): Promise<void> {
    this.#cancel();
    this.#tellUse();
    await this.#background.settled();
  }

  async #look(token: string, peer: string): Promise<TokenAccess | null> {
    const look = () => this.#tokens.find(token);
    const found = await (this.#found.has(token) ? look() : this.#callers.lookUp(peer, look));
    if (found === null) this.#found.delete(token);
    else this.#found.set(token, found);
    return found;
  }

  #use({ id }: TokenAccess, now: number): void {
    const grantId = OAuthGrantId.safeParse(id).data;
    if (grantId !== undefined) this.#used.set(grantId, now);
  }

  #tellUse(): void {
    const used = new Map(this.#used);
    this.#used.clear();
    this.#background.run(
      () => this.#grants.used(used),
      (err) => this.#log.warn({ err }, "grant_use_not_saved"),
    );
  }
}
