import { ApiKeyId, SessionId } from "../../schemas/common.ts";
import type { OpenSession } from "../ports/access.ts";
import { type Caller, callerByKey, callerBySession } from "./caller.ts";
import type { KnownKeys } from "./known-keys.ts";
import type { KnownSessions } from "./known-sessions.ts";

/** Finds out whoever requests come from: by a key, or by the session of a person. */
export class Callers {
  readonly #keys: KnownKeys;
  readonly #sessions: KnownSessions;

  constructor(keys: KnownKeys, sessions: KnownSessions) {
    this.#keys = keys;
    this.#sessions = sessions;
  }

  /** Null for a key that is unknown, mistyped, revoked or has expired. `peer`: whose look-ups in vain are counted. */
  async byKey(text: string, peer: string): Promise<Caller | null> {
    const key = await this.#keys.find(text, peer);
    return key === null ? null : callerByKey(key);
  }

  /** Null: it is unknown or over. */
  session(token: string, peer: string): Promise<OpenSession | null> {
    return this.#sessions.find(token, peer);
  }

  /** One that was let in before; null: it is let in no more. */
  async byId(id: ApiKeyId | SessionId): Promise<Caller | null> {
    const session = SessionId.safeParse(id).data;
    if (session === undefined) {
      const key = await this.#keys.byId(ApiKeyId.parse(id));
      return key === null ? null : callerByKey(key);
    }
    const open = await this.#sessions.byId(session);
    return open === null ? null : callerBySession(open);
  }

  /** Whether it is still let in where it was: for what stays open long after its request. */
  async holds({ id, accountId }: Caller): Promise<boolean> {
    const now = await this.byId(id);
    return now !== null && now.accountId === accountId && now.scopes.includes("read");
  }
}
