import type { Insertable, Kysely } from "kysely";
import type { SignalDefinition } from "../../../schemas/change.ts";
import type { SignalStatus } from "../../../schemas/signal.ts";
import type { OutboxRow, StoredSignal } from "../../ports/control-store.ts";
import type { ControlTables, SignalRow } from "./tables.ts";
import { folded } from "./text.ts";

/** No signal fails after as many seconds: they are learned. */
const LEARNED = 0;

export const definitionOf = (row: SignalRow): SignalDefinition => ({
  id: row.id,
  accountId: row.account_id,
  revision: row.revision,
  name: row.name,
  externalId: row.external_id,
  labels: JSON.parse(row.labels),
  threshold: row.threshold,
  floorDbm: row.floor_dbm,
  ceilingDbm: row.ceiling_dbm,
  hysteresis: row.hysteresis,
  noDataAfterSeconds: row.no_data_after_seconds === LEARNED ? "auto" : row.no_data_after_seconds,
  paused: row.paused === 1,
  sourceId: row.source_id,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/** `status`: as a list shows it, see `signal.status` in the migration. */
export const rowOf = (definition: SignalDefinition, status: SignalStatus) =>
  ({
    id: definition.id,
    account_id: definition.accountId,
    revision: definition.revision,
    name: definition.name,
    external_id: definition.externalId,
    // A newline stands in neither part's search words, so no match reaches over both.
    search: folded(`${definition.name}\n${definition.externalId ?? ""}`),
    labels: JSON.stringify(definition.labels),
    threshold: definition.threshold,
    floor_dbm: definition.floorDbm,
    ceiling_dbm: definition.ceilingDbm,
    hysteresis: definition.hysteresis,
    no_data_after_seconds: definition.noDataAfterSeconds === "auto" ? LEARNED : definition.noDataAfterSeconds,
    paused: definition.paused ? 1 : 0,
    source_id: definition.sourceId,
    status,
    created_at: definition.createdAt,
    updated_at: definition.updatedAt,
  }) satisfies Insertable<ControlTables["signal"]>;

export const labelRowsOf = ({ id, accountId, labels }: SignalDefinition) =>
  Object.entries(labels).map(([key, value]) => ({ signal_id: id, account_id: accountId, key, value }));

/** Signals with their projected states. */
export const selectStored = (db: Kysely<ControlTables>) =>
  db
    .selectFrom("signal")
    .leftJoin("signal_state", "signal_state.signal_id", "signal.id")
    .selectAll("signal")
    .select(["signal_state.reasons", "signal_state.sequence"]);

type StoredRow = SignalRow & { reasons: string | null; sequence: number | null };
export const storedOf = (row: StoredRow): StoredSignal => ({
  definition: definitionOf(row),
  status: row.status,
  reasons: row.reasons === null ? [] : JSON.parse(row.reasons),
  sequence: row.sequence ?? 0,
});

export const signalEntry = (signal: SignalDefinition): OutboxRow["entry"] => ({
  topic: "readings",
  change: { type: "signal", signal },
});
