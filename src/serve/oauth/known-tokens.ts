import { type OAuthClientId, OAuthGrantId } from "../../../schemas/common.ts";
import type { Clock } from "../../ports/clock.ts";
import type { OAuthGrants } from "../../ports/oauth.ts";
import type { Logger } from "../../ports/telemetry.ts";
import { KEY_TTL_MS } from "../known-keys.ts";
import { LastUses } from "../last-uses.ts";
import { RememberedAnswers } from "../remembered.ts";
import { UnknownCallers } from "../unknown-callers.ts";
import { isAccessToken, type TokenAccess, type TokenFinder } from "./token-finder.ts";

const TOKENS_MAX = 1_000;

/**
 * Finds access tokens, remembering the newest 1,000 for 4 s: what was revoked works no more within 5 s. How many unknown
 * ones a peer can have looked up is bounded; for a token that was seen before that never counts.
 */
export class KnownTokens {
  readonly #tokens: TokenFinder;
  readonly #clock: Clock;
  readonly #found: RememberedAnswers<TokenAccess>;
  readonly #callers: UnknownCallers;
  readonly #uses: LastUses<OAuthGrantId>;

  constructor(
    tokens: TokenFinder,
    grants: Pick<OAuthGrants, "used">,
    clock: Clock,
    log: Logger,
    callers = new UnknownCallers(),
  ) {
    this.#tokens = tokens;
    this.#clock = clock;
    this.#callers = callers;
    this.#found = new RememberedAnswers(clock, { ttlMs: KEY_TTL_MS, max: TOKENS_MAX });
    this.#uses = new LastUses(clock, (at) => grants.used(at), { log, failure: "grant_use_not_saved" });
  }

  /** Null: it is none, or works no more. `peer`: whose look-ups in vain are counted. */
  async find(token: string, peer: string): Promise<TokenAccess | null> {
    if (!isAccessToken(token)) return null;
    const access = this.#found.get(token) ?? (await this.#look(token, peer));
    if (access === null || access.expiresAt <= this.#clock.now()) return null;
    const grantId = OAuthGrantId.safeParse(access.id).data;
    if (grantId !== undefined) this.#uses.used(grantId);
    return access;
  }

  /** As `find`, of what was let in before. */
  byId(id: OAuthGrantId | OAuthClientId): ReturnType<TokenFinder["byId"]> {
    return this.#tokens.byId(id);
  }

  stop(): Promise<void> {
    return this.#uses.stop();
  }

  async #look(token: string, peer: string): Promise<TokenAccess | null> {
    const look = () => this.#tokens.find(token);
    const found = await (this.#found.has(token) ? look() : this.#callers.lookUp(peer, look));
    if (found === null) this.#found.delete(token);
    else this.#found.set(token, found);
    return found;
  }
}
