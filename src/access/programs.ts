import { type AccountId, OAuthClientId } from "../../schemas/common.ts";
import {
  COMMAND_LINE_CLIENT,
  COMMAND_LINE_NAME,
  type OAuthClientSettings,
} from "../../schemas/oauth-client.ts";
import type { OAuthClients } from "../ports/oauth.ts";

/** Whoever asks for tokens. */
export interface Program {
  readonly id: OAuthClientId;
  /** Null: it is part of the service, and acts in whatever account a person lets it. */
  readonly accountId: AccountId | null;
  readonly settings: OAuthClientSettings;
}

export const COMMAND_LINE: Program = {
  id: COMMAND_LINE_CLIENT,
  accountId: null,
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
