import { isDeepStrictEqual } from "node:util";
import { type AccountId, RuleId } from "../../../schemas/common.ts";
import { Rule, type RuleCreate, type RulePatch, ruleProblems } from "../../../schemas/rule.ts";
import { decodeCursor } from "../../domain/cursor.ts";
import { pathText } from "../../domain/field-problems.ts";
import type { Changed, Expected, OutboxRow, PastRule, Rules, StoredRule } from "../../ports/control-store.ts";
import { note } from "./audit.ts";
import { conflict, done, invalid, merged, newUlid, notFound, unexpected } from "./changed.ts";
import { afterId, pageOf } from "./cursor.ts";
import { difference, keptFields } from "./difference.ts";
import type { ControlContext, ControlTransaction } from "./engine.ts";
import { writeOutbox } from "./outbox.ts";
import { deleteFound } from "./owned.ts";
import { countRules } from "./signal-count.ts";
import type { RuleRow } from "./tables.ts";
import { inTransaction } from "./transaction.ts";

/** Of a rule that a program changes again and again, those before are forgotten. */
const VERSIONS_MAX = 100;

/** One of an older version gets the defaults of what it did not know. */
const storedOf = (row: Omit<RuleRow, "id">): StoredRule => ({
  accountId: row.account_id,
  revision: row.revision,
  rule: Rule.parse(JSON.parse(row.rule)),
});

const settingsOf = ({ rule: { id: _, createdAt: __, updatedAt: ___, ...settings } }: StoredRule) => settings;
const about = ({ accountId, rule: { id, name } }: StoredRule) => ({ accountId, target: { id, name } });

const entryOf = (stored: StoredRule): OutboxRow["entry"] => ({
  topic: "readings",
  change: { type: "rule", ...stored },
});

const createRule = async (
  context: ControlContext,
  accountId: AccountId,
  input: RuleCreate,
): Promise<Changed<StoredRule>> => {
  const now = new Date(context.clock.now()).toISOString();
  const id = RuleId.parse(`rul_${newUlid(context)}`);
  const stored = { accountId, revision: 1, rule: { id, ...input, createdAt: now, updatedAt: now } };
  return inTransaction(context, async (trx) => {
    const count = await countRules(trx, accountId);
    if (count >= context.maxRules)
      return conflict("", `the account has its limit of ${count} rules: delete one, or raise MAX_RULES`);
    const row = { id, account_id: accountId, revision: 1, rule: JSON.stringify(stored.rule) };
    await trx.insertInto("rule").values(row).execute();
    await note(context, trx, [{ ...about(stored), action: "rule.created", after: keptFields(input) }]);
    return done(stored, await writeOutbox(trx, [entryOf(stored)]));
  });
};

/** What was wrong already, by the checks of a later version, is no reason to refuse another change. */
const newProblems = (before: Rule, after: Rule) => {
  const known = ruleProblems(before);
  return ruleProblems(after).filter((one) => !known.some((old) => isDeepStrictEqual(old, one)));
};

const lockedRule = async (
  { engine }: ControlContext,
  trx: ControlTransaction,
  accountId: AccountId,
  id: RuleId,
): Promise<StoredRule | null> => {
  const query = trx.selectFrom("rule").selectAll().where("id", "=", id).where("account_id", "=", accountId);
  const row = await query.$if(engine.rowLocks, (one) => one.forUpdate()).executeTakeFirst();
  return row === undefined ? null : storedOf(row);
};

const keepVersion = async (trx: ControlTransaction, { revision, rule }: StoredRule): Promise<void> => {
  const since = Date.parse(rule.updatedAt);
  const row = { rule_id: rule.id, revision, since, rule: JSON.stringify(rule) };
  await trx.insertInto("rule_version").values(row).execute();
  await trx
    .deleteFrom("rule_version")
    .where("rule_id", "=", rule.id)
    .where("revision", "<=", revision - VERSIONS_MAX)
    .execute();
};

const updateRule = (
  context: ControlContext,
  accountId: AccountId,
  id: RuleId,
  patch: RulePatch,
  expected: Expected,
): Promise<Changed<StoredRule>> =>
  inTransaction(context, async (trx) => {
    const before = await lockedRule(context, trx, accountId, id);
    if (before === null) return notFound;
    const other = unexpected(before.revision, expected);
    if (other !== null) return other;
    const patched = merged(before.rule, patch);
    if (isDeepStrictEqual(patched, before.rule)) return done(before, 0);
    const [problem] = newProblems(before.rule, patched);
    if (problem !== undefined) return invalid(pathText(problem.path), problem.message);
    const rule = { ...patched, updatedAt: new Date(context.clock.now()).toISOString() };
    const stored = { accountId, revision: before.revision + 1, rule };
    const changes = { revision: stored.revision, rule: JSON.stringify(rule) };
    await trx.updateTable("rule").set(changes).where("id", "=", id).execute();
    await keepVersion(trx, before);
    const changed = difference(settingsOf(before), settingsOf(stored));
    await note(context, trx, [{ ...about(stored), action: "rule.updated", ...changed }]);
    return done(stored, await writeOutbox(trx, [entryOf(stored)]));
  });

const removeRule = (
  context: ControlContext,
  accountId: AccountId,
  id: RuleId,
  expected: Expected,
): Promise<Changed<null>> =>
  inTransaction(context, async (trx) => {
    const there = await lockedRule(context, trx, accountId, id);
    const deleted = await deleteFound(trx, "rule", id, there, expected);
    if (!deleted.ok) return deleted;
    const { revision, found } = deleted;
    const before = keptFields(settingsOf(found));
    await note(context, trx, [{ ...about(found), action: "rule.deleted", before }]);
    const change = { type: "ruleDeleted" as const, accountId, revision, ruleId: id };
    return done(null, await writeOutbox(trx, [{ topic: "readings", change }]));
  });

const ruleRows = ({ db }: ControlContext) => db.selectFrom("rule").selectAll().orderBy("id");

const getRule = async (
  context: ControlContext,
  accountId: AccountId,
  id: RuleId,
): Promise<StoredRule | null> => {
  const query = ruleRows(context).where("id", "=", id).where("account_id", "=", accountId);
  const row = await query.executeTakeFirst();
  return row === undefined ? null : storedOf(row);
};

const ruleAt = async (
  context: ControlContext,
  accountId: AccountId,
  id: RuleId,
  atMs: number,
): Promise<PastRule | null> => {
  const now = await getRule(context, accountId, id);
  if (now === null || Date.parse(now.rule.updatedAt) <= atMs) return now && { was: now, is: now };
  const versions = context.db.selectFrom("rule_version").selectAll().where("rule_id", "=", id);
  const newest = versions.where("since", "<=", atMs).orderBy("revision", "desc").limit(1);
  const first = versions.orderBy("revision").limit(1);
  const row = (await newest.executeTakeFirst()) ?? (await first.executeTakeFirst());
  return { was: row === undefined ? now : storedOf({ ...row, account_id: accountId }), is: now };
};

/** Lists are in the order of making. */
export const createRules = (context: ControlContext): Rules => ({
  create: (accountId, input) => createRule(context, accountId, input),
  get: (accountId, id) => getRule(context, accountId, id),
  at: (accountId, id, atMs) => ruleAt(context, accountId, id, atMs),
  list: async (accountId, { limit, cursor }) => {
    const after = cursor === undefined ? null : decodeCursor(afterId(RuleId), cursor).id;
    const rows = await ruleRows(context)
      .where("account_id", "=", accountId)
      .$if(after !== null, (query) => query.where("id", ">", after))
      .limit(limit + 1)
      .execute();
    return pageOf(rows, limit, storedOf, ({ id }) => ({ id }));
  },
  update: (accountId, id, patch, expected = null) => updateRule(context, accountId, id, patch, expected),
  remove: (accountId, id, expected = null) => removeRule(context, accountId, id, expected),
  all: async () => (await ruleRows(context).execute()).map(storedOf),
});
