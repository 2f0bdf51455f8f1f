import { type AccountId, SourceId } from "../../../schemas/common.ts";
import { decodeCursor } from "../../domain/cursor.ts";
import type { Page, Paged, SourceStatus, StoredSource } from "../../ports/control-store.ts";
import { afterId, pageOf } from "./cursor.ts";
import type { ControlContext } from "./engine.ts";
import { openSettings } from "./source-secrets.ts";
import { statusToShow } from "./source-status.ts";
import type { SourceRow, SourceStatusRow } from "./tables.ts";

interface Shown {
  readonly source: StoredSource;
  readonly status: SourceStatus;
}

export const sourceOf = ({ sealer }: Pick<ControlContext, "sealer">, row: SourceRow): StoredSource => ({
  id: row.id,
  accountId: row.account_id,
  revision: row.revision,
  settings: openSettings(sealer, row.id, row),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/** The statuses of these sources, for those that have one. */
const statusesOf = async ({ db }: ControlContext, rows: readonly SourceRow[]) => {
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return new Map<SourceId, SourceStatusRow>();
  const found = await db.selectFrom("source_status").selectAll().where("source_id", "in", ids).execute();
  return new Map(found.map((row) => [row.source_id, row]));
};

const shownOf = (context: ControlContext, row: SourceRow, status: SourceStatusRow | undefined): Shown => {
  const source = sourceOf(context, row);
  return { source, status: statusToShow(source.settings, status) };
};

export const findSource = async (context: ControlContext, id: SourceId): Promise<StoredSource | null> => {
  const row = await context.db.selectFrom("source").selectAll().where("id", "=", id).executeTakeFirst();
  return row === undefined ? null : sourceOf(context, row);
};

export const getSource = async (
  context: ControlContext,
  accountId: AccountId,
  id: SourceId,
): Promise<Shown | null> => {
  const query = context.db.selectFrom("source").selectAll().where("id", "=", id);
  const row = await query.where("account_id", "=", accountId).executeTakeFirst();
  if (row === undefined) return null;
  return shownOf(context, row, (await statusesOf(context, [row])).get(row.id));
};

/** In the order of their making. */
export const listSources = async (
  context: ControlContext,
  accountId: AccountId,
  { limit, cursor }: Page,
): Promise<Paged<Shown>> => {
  const after = cursor === undefined ? null : decodeCursor(afterId(SourceId), cursor).id;
  const rows = await context.db
    .selectFrom("source")
    .selectAll()
    .where("account_id", "=", accountId)
    .$if(after !== null, (query) => query.where("id", ">", after))
    .orderBy("id")
    .limit(limit + 1)
    .execute();
  const statuses = await statusesOf(context, rows);
  return pageOf(
    rows,
    limit,
    (row) => shownOf(context, row, statuses.get(row.id)),
    ({ id }) => ({ id }),
  );
};
