import type { Scope } from "../../schemas/api-key.ts";
import type { AccountId, ApiKeyId, PersonId, SessionId } from "../../schemas/common.ts";
import { scopesOf } from "../domain/access/roles.ts";
import type { OpenSession } from "../ports/access.ts";
import type { StoredApiKey } from "../ports/control-store.ts";

/** Whoever a request to the API comes from, and what it may do. */
export interface Caller {
  /** By which its requests are counted. */
  readonly id: ApiKeyId | SessionId;
  readonly accountId: AccountId;
  readonly scopes: readonly Scope[];
  /** Under whose name what it does is kept. */
  readonly by: ApiKeyId | PersonId;
  /** As people know it: a key's name, a person's e-mail address. */
  readonly name: string;
  /** The session that it is; null: it is a key. */
  readonly session: OpenSession | null;
}

export const callerByKey = ({ id, accountId, name, scopes }: StoredApiKey): Caller => ({
  id,
  accountId,
  scopes,
  by: id,
  name,
  session: null,
});

/** Null: the person is in no account now. */
export const callerBySession = (session: OpenSession): Caller | null => {
  const { id, accountId, role, personId, email } = session;
  if (accountId === null || role === null) return null;
  return { id, accountId, scopes: scopesOf(role), by: personId, name: email, session };
};
