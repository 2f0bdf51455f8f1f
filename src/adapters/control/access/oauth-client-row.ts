import type { Selectable } from "kysely";
import type { OAuthClientId } from "../../../../schemas/common.ts";
import { OAuthClientSettings } from "../../../../schemas/oauth-client.ts";
import type { OAuthClient } from "../../../ports/oauth.ts";
import type { ControlTables } from "../tables.ts";

export type OAuthClientRow = Selectable<ControlTables["oauth_client"]>;

export const clientOf = (row: OAuthClientRow): OAuthClient => ({
  id: row.id,
  accountId: row.account_id,
  personId: row.person_id,
  revision: row.revision,
  settings: OAuthClientSettings.parse(JSON.parse(row.settings)),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/** For what is noted of it. */
export const about = ({ accountId, id, settings }: OAuthClient) => ({
  accountId,
  target: { id, name: settings.name },
});

/** What its secret is hashed as. */
export const secretName = (id: OAuthClientId, secret: string): string => `oauth client ${id} ${secret}`;
