import type { SignalDefinition } from "../../../schemas/change.ts";
import { type AccountId, SignalId } from "../../../schemas/common.ts";
import { ULID_CHANCE_BYTES, ulid } from "../../domain/ids.ts";
import type { ResolvedSignal, Signals } from "../../ports/control-store.ts";
import { type ControlContext, type ControlTransaction, slices } from "./engine.ts";
import { writeOutbox } from "./outbox.ts";
import { signalIsOf } from "./owned.ts";
import { addToSignalCount, lockSignalCount } from "./signal-count.ts";
import { insertSignals } from "./signal-insert.ts";
import { definitionOf, signalEntry } from "./signal-row.ts";
import { isStorable } from "./text.ts";
import { inTransaction } from "./transaction.ts";

type Request = Parameters<Signals["resolve"]>[0];
type Found = Map<string, ResolvedSignal>;

const EXTERNAL_ID_LENGTH_MAX = 200;
const isUsable = (name: string): boolean =>
  name.length <= EXTERNAL_ID_LENGTH_MAX && name.trim() !== "" && isStorable(name);

const lookUp = async (
  { db }: Pick<ControlContext, "db">,
  accountId: AccountId,
  names: readonly string[],
  found: Found,
): Promise<void> => {
  for (const slice of slices(names)) {
    const rows = await db
      .selectFrom("signal")
      .selectAll()
      .where("account_id", "=", accountId)
      .where("external_id", "in", slice)
      .execute();
    for (const row of rows) {
      const externalId = row.external_id ?? "";
      found.set(externalId, { externalId, definition: definitionOf(row), created: false });
    }
  }
};

/** In the order of the names. Chance is asked for once: each time costs more than all else. */
const definitionsFor = (
  { clock, entropy }: ControlContext,
  request: Request,
  externalIds: readonly string[],
): SignalDefinition[] => {
  const now = clock.now();
  const chance = entropy.bytes(externalIds.length * ULID_CHANCE_BYTES);
  return externalIds.map((externalId, at) => {
    const own = chance.subarray(at * ULID_CHANCE_BYTES, (at + 1) * ULID_CHANCE_BYTES);
    return definitionOfNew(request, externalId, SignalId.parse(`sig_${ulid(now, own)}`), now);
  });
};

const definitionOfNew = (
  { accountId, sourceId, defaults }: Request,
  externalId: string,
  id: SignalId,
  now: number,
): SignalDefinition => ({
  id,
  accountId,
  revision: 1,
  ...defaults,
  name: externalId.trim(),
  externalId,
  paused: false,
  sourceId,
  createdAt: now,
  updatedAt: now,
});

/** Makes those that are still missing now that nobody else can, as far as the account's limit allows. */
const createMissing = async (
  context: ControlContext,
  trx: ControlTransaction,
  request: Request,
  names: readonly string[],
  found: Found,
): Promise<void> => {
  const { accountId } = request;
  // Of a try that was given up.
  for (const name of names) found.delete(name);
  const count = await lockSignalCount(trx, accountId);
  await lookUp({ db: trx }, accountId, names, found);
  const missing = names.filter((name) => !found.has(name)).slice(0, Math.max(0, context.maxSignals - count));
  if (missing.length === 0) return;
  const added = await insertSignals(trx, definitionsFor(context, request, missing));
  for (const definition of added) {
    const externalId = definition.externalId ?? "";
    found.set(externalId, { externalId, definition, created: true });
  }
  await addToSignalCount(trx, accountId, added.length);
  if (added.length > 0) await writeOutbox(trx, added.map(signalEntry));
};

/** As the port says; names in the order asked for. A change of another's externalId at the same moment leaves it out. */
export const resolveSignals = async (
  context: ControlContext,
  request: Request,
): Promise<ResolvedSignal[]> => {
  const names = [...new Set(request.externalIds)].filter(isUsable);
  const found: Found = new Map();
  await lookUp(context, request.accountId, names, found);
  const missing = names.filter((name) => !found.has(name));
  if (request.create && missing.length > 0) {
    await inTransaction(context, (trx) => createMissing(context, trx, request, missing, found));
  }
  return names.flatMap((name) => found.get(name) ?? []);
};

/** As the port says. */
export const namedSignals = async (
  context: ControlContext,
  accountId: AccountId,
  externalIds: readonly string[],
): Promise<SignalDefinition[]> => {
  const found: Found = new Map();
  await lookUp(context, accountId, [...new Set(externalIds)].filter(isUsable), found);
  return [...found.values()].map(({ definition }) => definition);
};

/** As the port says. */
export const calledSignals = async (
  { db }: ControlContext,
  accountId: AccountId,
  names: readonly string[],
): Promise<SignalDefinition[]> => {
  const definitions: SignalDefinition[] = [];
  for (const slice of slices([...new Set(names)].filter(isStorable))) {
    const rows = await db
      .selectFrom("signal")
      .selectAll()
      .where("account_id", "=", accountId)
      .where("name", "in", slice)
      .orderBy("id")
      .execute();
    // Asked for in the query, SQLite would go through all that have none.
    definitions.push(...rows.filter(({ external_id }) => external_id === null).map(definitionOf));
  }
  return definitions;
};

export const existingSignals = async (
  { db }: ControlContext,
  accountId: AccountId,
  ids: readonly SignalId[],
): Promise<SignalDefinition[]> => {
  const definitions: SignalDefinition[] = [];
  for (const slice of slices([...new Set(ids)])) {
    const rows = await db
      .selectFrom("signal")
      .selectAll()
      .where("id", "in", slice)
      .where(signalIsOf(accountId))
      .execute();
    definitions.push(...rows.map(definitionOf));
  }
  return definitions;
};
