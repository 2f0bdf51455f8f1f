import type { AlertState } from "../../schemas/alert.ts";
import type { AccountId, AlertId, RuleId, SignalId, SilenceId } from "../../schemas/common.ts";
import type { Severity } from "../../schemas/condition.ts";
import type { SilenceDefinition, SilencePatch } from "../../schemas/silence.ts";
import type { ToldAlert } from "../domain/told-alert.ts";
import type { Changed, Expected, Page, Paged } from "./control-store.ts";

/** Those that fired in `[fromMs, toMs)`, Unix ms. */
export interface AlertFilter {
  readonly signalIds?: readonly SignalId[] | undefined;
  readonly ruleIds?: readonly RuleId[] | undefined;
  readonly severities?: readonly Severity[] | undefined;
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
}
/** The newest `limit` by id, which is the order of their beginnings. */
export interface AlertsQuery extends AlertFilter {
  readonly accountId: AccountId;
  readonly before?: AlertId | undefined;
  readonly limit: number;
}

/** Who takes an alert on. */
export interface Acknowledging {
  readonly by: string;
  readonly note: string | null;
}

/** Alerts that fire, and those that have resolved of late: older ones are in the time series. */
export interface Alerts {
  /** In the transaction of the signals' states; a row applies only if its sequence is above the stored one. */
  project(rows: readonly ToldAlert[]): Promise<void>;
  get(accountId: AccountId, id: AlertId): Promise<ToldAlert | null>;
  /** Those of these ids that are kept here. */
  known(accountId: AccountId, ids: readonly AlertId[]): Promise<ToldAlert[]>;
  /** The newest first. */
  list(state: Exclude<AlertState, "pending">, query: AlertsQuery): Promise<ToldAlert[]>;
  /** Refused with `conflict` for one that has resolved; of one that was taken on before, the first says who did. */
  acknowledge(accountId: AccountId, id: AlertId, who: Acknowledging): Promise<Changed<ToldAlert>>;
  /** Forgets those that resolved before, at most `limit`; gives how many it were. */
  prune(before: number, limit: number): Promise<number>;
}

export interface StoredSilence {
  readonly accountId: AccountId;
  readonly revision: number;
  readonly definition: SilenceDefinition;
  /** The id of the API key that made it. */
  readonly createdBy: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface Silences {
  /** Checked before (`silenceProblems`). At the limit, ones that are over make room: by time, or as they hold nothing more. */
  create(
    accountId: AccountId,
    input: Omit<SilenceDefinition, "id">,
    createdBy: string,
  ): Promise<Changed<StoredSilence>>;
  get(accountId: AccountId, id: SilenceId): Promise<StoredSilence | null>;
  /** In the order of making. */
  list(accountId: AccountId, page: Page): Promise<Paged<StoredSilence>>;
  /** Merged with what is stored, and checked. */
  update(
    accountId: AccountId,
    id: SilenceId,
    patch: SilencePatch,
    expected?: Expected,
  ): Promise<Changed<StoredSilence>>;
  remove(accountId: AccountId, id: SilenceId, expected?: Expected): Promise<Changed<null>>;
  /** Of those that last until their alerts resolve: the ones with an alert that still fires. */
  holding(silences: readonly StoredSilence[]): Promise<ReadonlySet<SilenceId>>;
  /** Every silence of every account, for the beginning of a new log. */
  all(): Promise<StoredSilence[]>;
}
