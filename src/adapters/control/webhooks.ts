import { isDeepStrictEqual } from "node:util";
import { type AccountId, WebhookId } from "../../../schemas/common.ts";
import type { WebhookCreate, WebhookPatch } from "../../../schemas/webhook.ts";
import { decodeCursor } from "../../domain/cursor.ts";
import { CLOSED } from "../../domain/webhooks/circuit.ts";
import { generateWebhookSecret, WEBHOOK_SECRET_BYTES } from "../../domain/webhooks/secret.ts";
import { settingsProblem } from "../../domain/webhooks/settings-problem.ts";
import type { Changed, Expected } from "../../ports/control-store.ts";
import type { StoredWebhook, Webhooks } from "../../ports/webhooks.ts";
import { note } from "./audit.ts";
import { done, invalid, merged, newUlid, notFound, unexpected } from "./changed.ts";
import { afterId, pageOf } from "./cursor.ts";
import { difference, keptFields } from "./difference.ts";
import type { ControlContext, ControlTransaction } from "./engine.ts";
import { deleteFound } from "./owned.ts";
import { inTransaction } from "./transaction.ts";
import { createNotices } from "./webhook-notices.ts";
import { circuitColumns, sealedColumns, shownOf, webhookOf } from "./webhook-row.ts";
import { countChange, endGroups, startLane, stopLane } from "./webhook-state.ts";

const newSecret = ({ entropy }: ControlContext): string =>
  generateWebhookSecret(entropy.bytes(WEBHOOK_SECRET_BYTES));

/** By its host alone: a path may be as good as a secret. */
const about = ({ accountId, id, settings: { url } }: StoredWebhook) => ({
  accountId,
  target: { id, name: new URL(url).host },
});

const createWebhook = (
  context: ControlContext,
  accountId: AccountId,
  settings: WebhookCreate,
): Promise<Changed<StoredWebhook>> => {
  const problem = settingsProblem(settings);
  if (problem !== null) return Promise.resolve(invalid(problem.path, problem.message));
  const now = context.clock.now();
  const id = WebhookId.parse(`whk_${newUlid(context)}`);
  const secrets = { secret: newSecret(context), previous: null, previousValidUntil: null };
  const times = { created_at: now, updated_at: now };
  const columns = { ...sealedColumns(context, id, settings, secrets), disabled_reason: null, ...times };
  return inTransaction(context, async (trx) => {
    const row = { id, account_id: accountId, revision: 1, ...columns };
    await trx.insertInto("webhook").values(row).execute();
    const lane = { webhook_id: id, enabled: settings.enabled ? 1 : 0, owner: null, fence: 0, lease_until: 0 };
    await trx
      .insertInto("webhook_lane")
      .values({ ...lane, ...circuitColumns(CLOSED) })
      .execute();
    await countChange(trx);
    const made = webhookOf(context, row);
    await note(context, trx, [{ ...about(made), action: "webhook.created", after: keptFields(settings) }]);
    return done(made, 0);
  });
};

/** The row of the account's, locked until the transaction ends; or why there is none to change. */
const locked = async (
  { engine, sealer }: ControlContext,
  trx: ControlTransaction,
  accountId: AccountId,
  id: WebhookId,
): Promise<StoredWebhook | null> => {
  const query = trx.selectFrom("webhook").selectAll().where("id", "=", id);
  const owned = query.where("account_id", "=", accountId);
  const row = await owned.$if(engine.rowLocks, (one) => one.forUpdate()).executeTakeFirst();
  return row === undefined ? null : webhookOf({ sealer }, row);
};

const write = async (
  context: ControlContext,
  trx: ControlTransaction,
  before: StoredWebhook,
  changes: Partial<Pick<StoredWebhook, "settings" | "secrets" | "disabledReason">>,
): Promise<Changed<StoredWebhook>> => {
  const revision = before.revision + 1;
  const after = { ...before, ...changes, revision, updatedAt: context.clock.now() };
  await trx
    .updateTable("webhook")
    .set({
      revision,
      updated_at: after.updatedAt,
      disabled_reason: after.disabledReason,
      ...sealedColumns(context, before.id, after.settings, after.secrets),
    })
    .where("id", "=", before.id)
    .execute();
  await countChange(trx);
  return done(after, 0);
};

const updateWebhook = (
  context: ControlContext,
  accountId: AccountId,
  id: WebhookId,
  patch: WebhookPatch,
  expected: Expected,
): Promise<Changed<StoredWebhook>> =>
  inTransaction(context, async (trx) => {
    const before = await locked(context, trx, accountId, id);
    if (before === null) return notFound;
    const other = unexpected(before.revision, expected);
    if (other !== null) return other;
    const settings = merged(before.settings, patch);
    if (isDeepStrictEqual(settings, before.settings)) return done(before, 0);
    const problem = settingsProblem(settings);
    if (problem !== null) return invalid(problem.path, problem.message);
    if (before.settings.groups !== null && settings.groups === null)
      await endGroups(trx, id, context.clock.now());
    if (before.settings.enabled && !settings.enabled) await stopLane(trx, id);
    if (!before.settings.enabled && settings.enabled) await startLane(trx, id);
    // Why the service disabled it is to be seen until its owner has enabled it again.
    const disabledReason = settings.enabled ? null : before.disabledReason;
    const changed = difference(before.settings, settings);
    await note(context, trx, [{ ...about({ ...before, settings }), action: "webhook.updated", ...changed }]);
    return write(context, trx, before, { settings, disabledReason });
  });

const rotateSecret = (
  context: ControlContext,
  accountId: AccountId,
  id: WebhookId,
  overlapMs: number,
): Promise<Changed<StoredWebhook>> =>
  inTransaction(context, async (trx) => {
    const before = await locked(context, trx, accountId, id);
    if (before === null) return notFound;
    await note(context, trx, [
      { ...about(before), action: "webhook.secret_rotated", after: { overlapSeconds: overlapMs / 1_000 } },
    ]);
    const secrets = {
      secret: newSecret(context),
      previous: before.secrets.secret,
      previousValidUntil: context.clock.now() + overlapMs,
    };
    return write(context, trx, before, { secrets });
  });

const endPrevious = (
  context: ControlContext,
  accountId: AccountId,
  id: WebhookId,
): Promise<Changed<StoredWebhook>> =>
  inTransaction(context, async (trx) => {
    const before = await locked(context, trx, accountId, id);
    if (before === null) return notFound;
    const { secret, previousValidUntil } = before.secrets;
    if (previousValidUntil === null || previousValidUntil <= context.clock.now()) return done(before, 0);
    await note(context, trx, [{ ...about(before), action: "webhook.previous_secret_ended" }]);
    return write(context, trx, before, { secrets: { secret, previous: null, previousValidUntil: null } });
  });

const removeWebhook = (
  context: ControlContext,
  accountId: AccountId,
  id: WebhookId,
  expected: Expected,
): Promise<Changed<null>> =>
  inTransaction(context, async (trx) => {
    const there = await locked(context, trx, accountId, id);
    const deleted = await deleteFound(trx, "webhook", id, there, expected);
    if (!deleted.ok) return deleted;
    const { found } = deleted;
    const before = keptFields(found.settings);
    await note(context, trx, [{ ...about(found), action: "webhook.deleted", before }]);
    await countChange(trx);
    return done(null, 0);
  });

/** A webhook with its lane. */
const lanesOf = async ({ db }: ControlContext, ids: readonly WebhookId[]) => {
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom("webhook_lane").selectAll().where("webhook_id", "in", ids).execute();
  return new Map(rows.map((row) => [row.webhook_id, row]));
};

const listWebhooks = async (
  context: ControlContext,
  ...[accountId, { limit, cursor }]: Parameters<Webhooks["list"]>
): ReturnType<Webhooks["list"]> => {
  const after = cursor === undefined ? null : decodeCursor(afterId(WebhookId), cursor).id;
  const rows = await context.db
    .selectFrom("webhook")
    .selectAll()
    .where("account_id", "=", accountId)
    .$if(after !== null, (query) => query.where("id", ">", after))
    .orderBy("id")
    .limit(limit + 1)
    .execute();
  const lanes = await lanesOf(
    context,
    rows.map(({ id }) => id),
  );
  return pageOf(
    rows,
    limit,
    (row) => shownOf(context, row, lanes.get(row.id)),
    ({ id }) => ({ id }),
  );
};

export const createWebhooks = (context: ControlContext): Webhooks => ({
  create: (accountId, input) => createWebhook(context, accountId, input),
  get: async (accountId, id) => {
    const query = context.db.selectFrom("webhook").selectAll().where("id", "=", id);
    const row = await query.where("account_id", "=", accountId).executeTakeFirst();
    if (row === undefined) return null;
    return shownOf(context, row, (await lanesOf(context, [id])).get(id));
  },
  existing: async (accountId, ids) => {
    if (ids.length === 0) return [];
    const query = context.db.selectFrom("webhook").select("id").where("id", "in", ids);
    return (await query.where("account_id", "=", accountId).execute()).map(({ id }) => id);
  },
  list: (accountId, page) => listWebhooks(context, accountId, page),
  update: (accountId, id, patch, expected = null) => updateWebhook(context, accountId, id, patch, expected),
  remove: (accountId, id, expected = null) => removeWebhook(context, accountId, id, expected),
  rotate: (accountId, id, overlapMs) => rotateSecret(context, accountId, id, overlapMs),
  endPrevious: (accountId, id) => endPrevious(context, accountId, id),
  changes: async () => {
    const query = context.db.selectFrom("outbox_counter").select("position").where("name", "=", "webhooks");
    return (await query.executeTakeFirstOrThrow()).position;
  },
  enabled: async () => {
    const rows = await context.db
      .selectFrom("webhook")
      .innerJoin("webhook_lane", "webhook_lane.webhook_id", "webhook.id")
      .selectAll("webhook")
      .where("webhook_lane.enabled", "=", 1)
      .orderBy("webhook.id")
      .execute();
    return rows.map((row) => webhookOf(context, row));
  },
  ...createNotices(context),
});
