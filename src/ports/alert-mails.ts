import type { AccountId, AlertId, MailId, RuleId } from "../../schemas/common.ts";
import type { Email } from "../../schemas/email.ts";
import type { BoxKey, FollowedAlert, MailBox } from "../domain/alert-mails/box.ts";
import type { Spent } from "../domain/alert-mails/budget.ts";
import type { RuleNews } from "../domain/alert-mails/rule-news.ts";
import type { StopScope } from "../domain/alert-mails/stop.ts";

export interface LoadedBox {
  readonly box: MailBox;
  /** Of the alerts that were asked for, those that it follows. */
  readonly alerts: readonly FollowedAlert[];
}
/** A box as it is now, with those of its alerts that changed. */
export type ChangedBox = LoadedBox;

/**
 * News of alerts that wait to be told by e-mail, by the address that is to be told. Who changes boxes calls `lock` first,
 * and uses the rest in the same transaction. Times are Unix milliseconds.
 */
export interface AlertMails {
  /** Until the transaction ends nobody else has it. */
  lock(): Promise<void>;
  /** Those that there are. */
  load(
    accountId: AccountId,
    recipients: readonly Email[],
    alertIds: readonly AlertId[],
  ): Promise<LoadedBox[]>;
  save(boxes: readonly ChangedBox[]): Promise<void>;
  /** Those that are due by now; who was told longest ago comes first. */
  due(now: number, limit: number): Promise<MailBox[]>;
  /** What is new of the alerts that a box follows, in figures. */
  news(box: BoxKey): Promise<RuleNews[]>;
  /** Alerts with news, those that fire first and of these the hardest; `ruleId` null: of all rules. */
  alerts(box: BoxKey, ruleId: RuleId | null, limit: number): Promise<FollowedAlert[]>;
  /** E-mails that told of alerts with news before, the oldest first: at most `limit`, the newest of them. */
  toldIn(box: BoxKey, ruleId: RuleId | null, limit: number): Promise<MailId[]>;
  /** Their news was told by this e-mail. Those that have resolved are followed no more. */
  told(box: BoxKey, ruleId: RuleId | null, mailId: MailId): Promise<void>;
  /** Follows alerts of the rule no more. */
  forget(box: BoxKey, ruleId: RuleId | null): Promise<void>;
  /** What each of these has spent, by their names. */
  spent(names: readonly string[]): Promise<ReadonlyMap<string, Spent>>;
  spend(spent: ReadonlyMap<string, Spent>): Promise<void>;
  /** What these addresses want no more; those that stopped nothing are left out. */
  stops(
    accountId: AccountId,
    recipients: readonly Email[],
  ): Promise<ReadonlyMap<Email, ReadonlySet<StopScope>>>;
  /** False: it was so before. */
  stop(box: BoxKey, scope: StopScope): Promise<boolean>;
  /** False: it was so before. */
  resume(box: BoxKey, scope: StopScope): Promise<boolean>;
  /** Forgets what was told before, and nothing is new of: at most `limit` rows of a kind; gives how many it were. */
  prune(before: number, limit: number): Promise<number>;
}
