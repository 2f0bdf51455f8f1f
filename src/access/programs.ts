import type { Scope } from "../../schemas/api-key.ts";
import { type AccountId, OAuthClientId, type PersonId } from "../../schemas/common.ts";
import {
  COMMAND_LINE_CLIENT,
  COMMAND_LINE_NAME,
  type OAuthClientSettings,
} from "../../schemas/oauth-client.ts";
import { scopesWithin } from "../domain/access/roles.ts";
import type { OAuthClients, OAuthStore, OpenGrant } from "../ports/oauth.ts";

/** Whoever asks for tokens. */
export interface Program {
  readonly id: OAuthClientId;
  /** Null: it is part of the service, and acts in whatever account a person lets it. */
  readonly accountId: AccountId | null;
  /** Who answers for what it does for itself; null: nobody does. */
  readonly personId: PersonId | null;
  readonly settings: OAuthClientSettings;
}

export const COMMAND_LINE: Program = {
  id: COMMAND_LINE_CLIENT,
  accountId: null,
  personId: null,
  settings: {
    name: COMMAND_LINE_NAME,
    grants: ["device_code"],
    scopes: ["read", "write", "admin"],
    redirectUris: [],
    accessTokens: "opaque",
    confidential: false,
  },
};

/** By its `client_id`, whatever it is. */
export const findProgram = async (
  clients: Pick<OAuthClients, "find">,
  clientId: string,
): Promise<Program | null> => {
  if (clientId === COMMAND_LINE.id) return COMMAND_LINE;
  const id = OAuthClientId.safeParse(clientId).data;
  return id === undefined ? null : clients.find(id);
};

/** A program and whom it acts for, as logs call it. */
export const actingName = ({ clientName, email }: Pick<OpenGrant, "clientName" | "email">): string =>
  `${clientName}, for ${email}`;

/** What a program may do for itself: in its account alone, and no more than whoever answers for it may there now. */
export interface OwnAccess {
  readonly program: Program & { readonly accountId: AccountId };
  readonly scopes: readonly Scope[];
}

/**
 * Null: nothing. `answering`: who answered for it when a token was issued; where it is somebody else now, that one opens
 * nothing.
 */
export const ownAccess = async (
  { clients, grants }: Pick<OAuthStore, "clients" | "grants">,
  clientId: string,
  answering?: PersonId,
): Promise<OwnAccess | null> => {
  const found = await findProgram(clients, clientId);
  if (found === null || found.accountId === null) return null;
  const { accountId, personId, settings } = found;
  if (!settings.grants.includes("client_credentials")) return null;
  if (answering !== undefined && answering !== personId) return null;
  const program = { ...found, accountId };
  if (personId === null) return { program, scopes: scopesWithin("owner", settings.scopes) };
  const standing = await grants.standing(personId, accountId);
  return standing === null ? null : { program, scopes: scopesWithin(standing.role, settings.scopes) };
};
