import type { AccountId, AlertId } from "../../schemas/common.ts";
import { type AlertNews, alertNews } from "../domain/alert-mails/news.ts";
import { isStopped, type StopScope } from "../domain/alert-mails/stop.ts";
import type { AddressedEvent } from "../domain/records.ts";
import type { Repositories } from "../ports/control-store.ts";
import { AlertMailBatch } from "./alert-mail-batch.ts";

type Within = Pick<Repositories, "alertMails" | "alerts">;

/** What becomes of the news of an alert for an address. */
export const NEWS_OUTCOMES = ["followed", "counted", "stopped"] as const;
export type NewsOutcome = (typeof NEWS_OUTCOMES)[number];
/** How many news came to what. */
export type NotedNews = Readonly<Record<NewsOutcome, number>>;

const distinct = <T>(values: readonly T[]): T[] => [...new Set(values)];

/**
 * Those that nobody has heard of: events come again after a kill, and alerts are as the newest that was taken says. So to
 * be asked before the alerts of these events are.
 */
const freshOf = async (
  { alerts }: Pick<Within, "alerts">,
  accountId: AccountId,
  news: readonly AlertNews[],
): Promise<AlertNews[]> => {
  const ids = distinct(news.map(({ alert }) => alert.id));
  const known = await alerts.known(accountId, ids);
  const newest = new Map<AlertId, number>(known.map(({ alert, sequence }) => [alert.id, sequence]));
  return news.filter(({ alert, sequence }) => {
    if (sequence <= (newest.get(alert.id) ?? 0)) return false;
    newest.set(alert.id, sequence);
    return true;
  });
};

const noteAccount = async (
  within: Within,
  accountId: AccountId,
  all: readonly AlertNews[],
  nowMs: number,
  noted: (outcome: NewsOutcome) => void,
): Promise<void> => {
  const { alertMails } = within;
  const news = await freshOf(within, accountId, all);
  if (news.length === 0) return;
  const recipients = distinct(news.flatMap((each) => each.recipients));
  const stops = await alertMails.stops(accountId, recipients);
  const ids = distinct(news.map(({ alert }) => alert.id));
  const batch = new AlertMailBatch(accountId, await alertMails.load(accountId, recipients, ids));
  const none: ReadonlySet<StopScope> = new Set();
  for (const each of news)
    for (const recipient of each.recipients) {
      const isUnwanted = isStopped(stops.get(recipient) ?? none, each.alert.ruleId);
      const outcome = isUnwanted ? "stopped" : batch.take(recipient, each, nowMs);
      if (outcome !== null) noted(outcome);
    }
  await alertMails.save(batch.changes);
};

/**
 * Notes what these events tell to whom their rules name by e-mail address: once, however often they come. To be called in
 * the transaction that projects their alerts, before it does so.
 */
export const noteAlertMails = async (
  within: Within,
  events: readonly AddressedEvent[],
  nowMs: number,
): Promise<NotedNews> => {
  const counts = { followed: 0, counted: 0, stopped: 0 };
  const news = events.flatMap((event) => alertNews(event) ?? []);
  if (news.length === 0) return counts;
  await within.alertMails.lock();
  for (const [accountId, own] of Map.groupBy(news, (each) => each.accountId))
    await noteAccount(within, accountId, own, nowMs, (outcome) => {
      counts[outcome]++;
    });
  return counts;
};
