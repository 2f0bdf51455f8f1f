import { z } from "zod";
import { ApiKeyId, OAuthClientId, OAuthGrantId, SessionId } from "../../schemas/common.ts";
import { isApiKey } from "../domain/api-key.ts";
import type { OpenSession } from "../ports/access.ts";
import { type Caller, callerByKey, callerBySession, callerByToken } from "./caller.ts";
import type { KnownKeys } from "./known-keys.ts";
import type { KnownSessions } from "./known-sessions.ts";
import type { KnownTokens } from "./oauth/known-tokens.ts";

const TokenHolder = z.union([OAuthGrantId, OAuthClientId]);

/** Finds out whoever requests come from: by a key, by a token of OAuth, or by the session of a person. */
export class Callers {
  readonly #keys: KnownKeys;
  readonly #sessions: KnownSessions;
  readonly #tokens: KnownTokens;

  constructor(keys: KnownKeys, sessions: KnownSessions, tokens: KnownTokens) {
    this.#keys = keys;
    this.#sessions = sessions;
    this.#tokens = tokens;
  }

  /**
   * By a key or a token, as they come in `Authorization: Bearer`. Null for one that is unknown, mistyped, revoked or has
   * expired. `peer`: whose look-ups in vain are counted.
   */
  async byBearer(text: string, peer: string): Promise<Caller | null> {
    if (isApiKey(text)) {
      const key = await this.#keys.find(text, peer);
      return key === null ? null : callerByKey(key);
    }
    const token = await this.#tokens.find(text, peer);
    if (token === null) return null;
    // Tokens of a grant are renewed, and end with it; a program that acts for itself has nothing but the token.
    const isOfGrant = OAuthGrantId.safeParse(token.id).success;
    return callerByToken(token, isOfGrant ? null : token.expiresAt);
  }

  /** Null: it is unknown or over. */
  session(token: string, peer: string): Promise<OpenSession | null> {
    return this.#sessions.find(token, peer);
  }

  /** One that was let in before, until `endsAt`; null: it is let in no more. */
  async byId(id: Caller["id"], endsAt: Caller["endsAt"] = null): Promise<Caller | null> {
    const sessionId = SessionId.safeParse(id).data;
    if (sessionId !== undefined) {
      const open = await this.#sessions.byId(sessionId);
      return open === null ? null : callerBySession(open);
    }
    const keyId = ApiKeyId.safeParse(id).data;
    if (keyId !== undefined) {
      const key = await this.#keys.byId(keyId);
      return key === null ? null : callerByKey(key);
    }
    const token = await this.#tokens.byId(TokenHolder.parse(id));
    return token === null ? null : callerByToken(token, endsAt);
  }

  /** Whether it is still let in where it was: for what stays open long after its request. */
  async holds({ id, accountId, personId }: Caller): Promise<boolean> {
    const now = await this.byId(id);
    if (now === null || now.accountId !== accountId) return false;
    // Somebody else may answer for a program by now.
    return now.personId === personId && now.scopes.includes("read");
  }
}
