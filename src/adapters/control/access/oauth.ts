import type { OAuthStore } from "../../../ports/oauth.ts";
import { createFacts } from "../accounts.ts";
import type { ControlContext } from "../engine.ts";
import { createOAuthClients } from "./oauth-clients.ts";
import { createOAuthGrants } from "./oauth-grants.ts";
import { createOAuthRecords } from "./oauth-records.ts";

/** The fact, base64, that holds what tokens are signed with. */
const KEYS = "oauth_keys";

/** Forgets grants, tokens and codes that are over. */
export const pruneOAuth = async (db: ControlContext["db"], now: number, limit: number): Promise<number> => {
  const records = db.selectFrom("oauth_record").select("hash").where("expires_at", "<=", now).limit(limit);
  const grants = db.selectFrom("oauth_grant").select("id").where("expires_at", "<=", now).limit(limit);
  const done = [
    await db.deleteFrom("oauth_record").where("hash", "in", records).executeTakeFirst(),
    // One that was used meanwhile goes on.
    await db
      .deleteFrom("oauth_grant")
      .where("id", "in", grants)
      .where("expires_at", "<=", now)
      .executeTakeFirst(),
  ];
  return done.reduce((sum, { numDeletedRows }) => sum + Number(numDeletedRows), 0);
};

export const createOAuth = (context: ControlContext): OAuthStore => {
  const { db, sealer } = context;
  return {
    clients: createOAuthClients(context),
    grants: createOAuthGrants(context),
    records: createOAuthRecords(context),
    keys: async (make) => {
      const facts = createFacts({ db });
      const sealed = async () => Buffer.from(sealer.seal(KEYS, await make())).toString("base64");
      const kept = (await facts.get(KEYS)) ?? (await facts.ensure(KEYS, await sealed()));
      return sealer.open(KEYS, Buffer.from(kept, "base64"));
    },
  };
};
