import { INVITATIONS_KEPT_MS, SESSION_IDLE_MS, SESSION_MS } from "../../../domain/access/limits.ts";
import type { Access } from "../../../ports/access.ts";
import type { ControlContext } from "../engine.ts";
import { createAttempts, createChallenges } from "./attempts.ts";
import { createIdentities } from "./identities.ts";
import { createInvitations } from "./invitations.ts";
import { createLinks } from "./links.ts";
import { createMembers } from "./members.ts";
import { createOAuth, pruneOAuth } from "./oauth.ts";
import { createPeople } from "./people.ts";
import { createAccessRequests } from "./requests.ts";
import { createSeals } from "./seals.ts";
import { createSessions } from "./sessions.ts";

const prune = async ({ db }: ControlContext, now: number, limit: number): Promise<number> => {
  const links = db.selectFrom("link").select("hash").where("expires_at", "<=", now).limit(limit);
  const challenges = db.selectFrom("challenge").select("hash").where("expires_at", "<=", now).limit(limit);
  const sessions = db
    .selectFrom("session")
    .select("id")
    .where(({ or, eb }) =>
      or([eb("last_seen_at", "<=", now - SESSION_IDLE_MS), eb("created_at", "<=", now - SESSION_MS)]),
    )
    .limit(limit);
  const before = now - INVITATIONS_KEPT_MS;
  // Nobody accepts one that has expired; but they are revoked, or sent once more.
  const invitations = db
    .selectFrom("invitation")
    .select("id")
    .where("expires_at", "<=", before)
    .where(({ or, eb }) => or([eb("revoked_at", "is", null), eb("revoked_at", "<=", before)]))
    .limit(limit);
  const counts = db.selectFrom("attempt_count").select("name").where("until", "<=", now).limit(limit);
  const done = [
    await db.deleteFrom("link").where("hash", "in", links).executeTakeFirst(),
    await db.deleteFrom("challenge").where("hash", "in", challenges).executeTakeFirst(),
    await db.deleteFrom("session").where("id", "in", sessions).executeTakeFirst(),
    await db
      .deleteFrom("invitation")
      .where("id", "in", invitations)
      .where("expires_at", "<=", before)
      .executeTakeFirst(),
    await db
      .deleteFrom("attempt_count")
      .where("name", "in", counts)
      .where("until", "<=", now)
      .executeTakeFirst(),
  ];
  const deleted = done.reduce((sum, { numDeletedRows }) => sum + Number(numDeletedRows), 0);
  return deleted + (await pruneOAuth(db, now, limit));
};

export const createAccess = (context: ControlContext): Access => ({
  people: createPeople(context),
  identities: createIdentities(context),
  members: createMembers(context),
  requests: createAccessRequests(context),
  invitations: createInvitations(context),
  links: createLinks(context),
  sessions: createSessions(context),
  challenges: createChallenges(context),
  attempts: createAttempts(context),
  seals: createSeals(context),
  oauth: createOAuth(context),
  prune: (now, limit) => prune(context, now, limit),
});
