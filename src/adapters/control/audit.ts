import type { Insertable, Selectable } from "kysely";
import { actionsOf } from "../../../schemas/audit.ts";
import { AuditEntryId } from "../../../schemas/common.ts";
import { decodeCursor } from "../../domain/cursor.ts";
import { timeOfId, ULID_CHANCE_BYTES, ulid } from "../../domain/ids.ts";
import type { Audit, Fields, KeptNote, LogOf, Note } from "../../ports/audit.ts";
import { newUlid } from "./changed.ts";
import { afterId, pageOf } from "./cursor.ts";
import { type ControlContext, slices } from "./engine.ts";
import type { ControlTables } from "./tables.ts";

/** What is in nobody's log was written so that it took as long as for somebody: it is soon forgotten. */
const NOBODYS_KEPT_MS = 3_600_000;
const NAME_MAX = 300;

const idFrom = (atMs: number): AuditEntryId =>
  AuditEntryId.parse(`aud_${ulid(Math.max(0, atMs), new Uint8Array(ULID_CHANCE_BYTES))}`);

const fieldsOf = (text: string | null): Fields | null => (text === null ? null : JSON.parse(text));
const textOf = (fields: Fields | null | undefined): string | null =>
  fields === null || fields === undefined ? null : JSON.stringify(fields);
/** As every engine can keep it. */
const nameOf = (text: string): string => text.replaceAll("\0", "�").slice(0, NAME_MAX).toWellFormed();

const keptOf = (row: Selectable<ControlTables["audit_entry"]>): KeptNote => ({
  id: row.id,
  at: timeOfId(row.id),
  action: row.action,
  accountId: row.account_id,
  personId: row.person_id,
  actor: { kind: row.actor_kind, id: row.actor_id, name: row.actor_name },
  origin: { address: row.address, userAgent: row.user_agent, requestId: row.request_id },
  target: row.target_id === null ? null : { id: row.target_id, name: row.target_name ?? "" },
  before: fieldsOf(row.before),
  after: fieldsOf(row.after),
});

/** In the transaction of the change, by whoever makes it. */
export const note = async (
  context: Pick<ControlContext, "by" | "clock" | "ulids">,
  db: ControlContext["db"],
  notes: readonly Note[],
): Promise<void> => {
  const { by } = context;
  if (by === null) return;
  const rowOf = (
    id: AuditEntryId,
    { actor = by.actor, ...one }: Note,
  ): Insertable<ControlTables["audit_entry"]> => ({
    id,
    account_id: one.accountId,
    person_id: one.personId ?? null,
    action: one.action,
    actor_kind: actor.kind,
    actor_id: actor.id,
    actor_name: nameOf(actor.name),
    target_id: one.target?.id ?? null,
    target_name: one.target === null || one.target === undefined ? null : nameOf(one.target.name),
    address: by.origin.address,
    user_agent: by.origin.userAgent,
    request_id: by.origin.requestId,
    before: textOf(one.before),
    after: textOf(one.after),
  });
  const rows = notes.map((one) => rowOf(AuditEntryId.parse(`aud_${newUlid(context)}`), one));
  for (const slice of slices(rows)) await db.insertInto("audit_entry").values(slice).execute();
};

const list = async (
  { db }: ControlContext,
  whose: LogOf,
  ...[{ limit, cursor, from, to, action, actor, target }]: [Parameters<Audit["list"]>[1]]
): ReturnType<Audit["list"]> => {
  const below = cursor === undefined ? null : decodeCursor(afterId(AuditEntryId), cursor).id;
  let query = db
    .selectFrom("audit_entry")
    .selectAll()
    .orderBy("id", "desc")
    .limit(limit + 1);
  query =
    "accountId" in whose
      ? query.where("account_id", "=", whose.accountId)
      : query.where("person_id", "=", whose.personId);
  if (below !== null) query = query.where("id", "<", below);
  if (from !== undefined) query = query.where("id", ">=", idFrom(Date.parse(from)));
  if (to !== undefined) query = query.where("id", "<", idFrom(Date.parse(to)));
  if (actor !== undefined) query = query.where("actor_id", "=", actor);
  if (target !== undefined) query = query.where("target_id", "=", target);
  if (action !== undefined) query = query.where("action", "in", actionsOf(action));
  return pageOf(await query.execute(), limit, keptOf, ({ id }) => ({ id }));
};

const prune = async ({ db, clock }: ControlContext, before: number, limit: number): Promise<number> => {
  const nobodys = Math.max(before, clock.now() - NOBODYS_KEPT_MS);
  const ids = db
    .selectFrom("audit_entry")
    .select("id")
    .where(({ eb, or, and }) =>
      or([
        eb("id", "<", idFrom(before)),
        and([eb("account_id", "is", null), eb("person_id", "is", null), eb("id", "<", idFrom(nobodys))]),
      ]),
    )
    .limit(limit);
  const { numDeletedRows } = await db.deleteFrom("audit_entry").where("id", "in", ids).executeTakeFirst();
  return Number(numDeletedRows);
};

export const createAudit = (context: ControlContext): Audit => ({
  add: (notes) => note(context, context.db, notes),
  list: (whose, query) => list(context, whose, query),
  prune: (before, limit) => prune(context, before, limit),
});
