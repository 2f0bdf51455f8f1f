import type { Scope } from "../../schemas/api-key.ts";
import type { AccountId, ApiKeyId, OAuthClientId, PersonId } from "../../schemas/common.ts";
import { scopesOf } from "../domain/access/roles.ts";
import type { OpenSession } from "../ports/access.ts";
import type { StoredApiKey, TicketHolder } from "../ports/control-store.ts";
import type { TokenAccess } from "./oauth/token-finder.ts";

/** Whoever a request to the API comes from, and what it may do. */
export interface Caller {
  /** By which its requests are counted. */
  readonly id: TicketHolder;
  readonly accountId: AccountId;
  readonly scopes: readonly Scope[];
  /** Under whose name what it does is kept. */
  readonly by: ApiKeyId | OAuthClientId | PersonId;
  /** As people know it: a key's name, a person's e-mail address, a program with whom it acts for. */
  readonly name: string;
  /** Who may do no less than it, now; null: a key of nobody's, or a program for which nobody answers. */
  readonly personId: PersonId | null;
  /** What it comes with, as people call it. */
  readonly kind: "key" | "session" | "token";
  /** The session that it is; null: it is a key, or a token. */
  readonly session: OpenSession | null;
  /** When what it opened ends whatever else holds, Unix ms; null: as long as it is let in. */
  readonly endsAt: number | null;
}

export const callerByKey = ({ id, accountId, name, scopes, personId }: StoredApiKey): Caller => ({
  id,
  accountId,
  scopes,
  by: id,
  name,
  personId,
  kind: "key",
  session: null,
  endsAt: null,
});

export const callerByToken = (
  { id, accountId, scopes, clientId, name, personId }: Omit<TokenAccess, "expiresAt">,
  endsAt: number | null,
): Caller => ({
  id,
  accountId,
  scopes,
  by: clientId,
  name,
  personId,
  kind: "token",
  session: null,
  endsAt,
});

/** For what people do about themselves. Null: the person is in no account now. */
export const personBySession = (session: OpenSession): Caller | null => {
  const { id, accountId, role, personId, email } = session;
  if (accountId === null || role === null) return null;
  const scopes = scopesOf(role);
  const by = personId;
  return { id, accountId, scopes, by, name: email, personId, kind: "session", session, endsAt: null };
};

/** For all else. Null also as long as the account asks for a second factor that the session was begun without. */
export const callerBySession = (session: OpenSession): Caller | null =>
  session.mustSetUpSecondFactor ? null : personBySession(session);
