import type { SessionId } from "../../schemas/common.ts";
import type { OpenSession, Sessions } from "../ports/access.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/telemetry.ts";
import { KEY_TTL_MS } from "./known-keys.ts";
import { LastUses } from "./last-uses.ts";
import { RememberedAnswers } from "./remembered.ts";
import { UnknownCallers } from "./unknown-callers.ts";

const SESSIONS_MAX = 1_000;

/**
 * Finds sessions by their token, remembering the newest 1,000 for 4 s: one that ended works no more within 5 s. How many
 * unknown ones a peer can have looked up is bounded; for a session that was seen before that never counts.
 */
export class KnownSessions {
  readonly #sessions: Sessions;
  readonly #found: RememberedAnswers<OpenSession>;
  readonly #callers: UnknownCallers;
  readonly #uses: LastUses<SessionId>;

  constructor(sessions: Sessions, clock: Clock, log: Logger, callers = new UnknownCallers()) {
    this.#sessions = sessions;
    this.#callers = callers;
    this.#found = new RememberedAnswers(clock, { ttlMs: KEY_TTL_MS, max: SESSIONS_MAX });
    this.#uses = new LastUses(clock, (at) => sessions.seen(at), { log, failure: "session_use_not_saved" });
  }

  /** Null: unknown or over. `peer`: whose look-ups in vain are counted. */
  async find(token: string, peer: string): Promise<OpenSession | null> {
    const session = this.#found.get(token) ?? (await this.#look(token, peer));
    if (session !== null) this.#uses.used(session.id);
    return session;
  }

  /** As `find`, of one that was let in before. */
  byId(id: SessionId): Promise<OpenSession | null> {
    return this.#sessions.get(id);
  }

  /** It is another one now, or over. */
  forget(token: string): void {
    this.#found.delete(token);
  }

  stop(): Promise<void> {
    return this.#uses.stop();
  }

  async #look(token: string, peer: string): Promise<OpenSession | null> {
    const look = () => this.#sessions.find(token);
    const found = await (this.#found.has(token) ? look() : this.#callers.lookUp(peer, look));
    // What is stale is given another token at once, and what is unknown may be guessed: neither is kept in mind.
    if (found === null) this.#found.delete(token);
    else if (!found.isStale) this.#found.set(token, found);
    return found;
  }
}
