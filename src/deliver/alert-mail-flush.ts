import { hash } from "node:crypto";
import { MailId } from "../../schemas/common.ts";
import { TOKEN_BYTES, tokenOf } from "../domain/access/secret-token.ts";
import { alertMail, LISTED_MAX } from "../domain/alert-mails/alert-mail.ts";
import type { MailBox } from "../domain/alert-mails/box.ts";
import { allNews, cutNews, type RuleNews } from "../domain/alert-mails/rule-news.ts";
import { isStopped, STOP_LINK_MS, stopSubject, writeStopLink } from "../domain/alert-mails/stop.ts";
import { ulid } from "../domain/ids.ts";
import type { Entropy } from "../ports/clock.ts";
import type { Repositories } from "../ports/control-store.ts";
import { type MailWait, mailBudget } from "./alert-mail-budget.ts";

/** What an e-mail tells of alerts is old by then. */
const EXPIRES_MS = 86_400_000;
/** E-mails that one may belong beneath. */
const FOLLOWS_MAX = 10;

type Within = Pick<Repositories, "alertMails" | "mails" | "access">;

export interface FlushParts {
  readonly entropy: Entropy;
  readonly publicUrl: string;
  readonly nowMs: number;
}

/** What an e-mail tells of: one rule, or several. */
export const MAIL_KINDS = ["rule", "digest"] as const;

/** What came of a box that was due: its e-mails, or that it waits for a limit. */
export type FlushedBox =
  | { readonly kind: "told"; readonly mails: readonly (typeof MAIL_KINDS)[number][] }
  | ({ readonly kind: "waits" } & MailWait);

/** The same whoever makes it and how often: of what was due when. */
const mailIdOf = ({ accountId, recipient, dueAt }: MailBox, rule: string): MailId => {
  const name = [accountId, recipient, dueAt, rule].join("\n");
  return MailId.parse(`eml_${ulid(dueAt ?? 0, hash("sha256", name, "buffer"))}`);
};

/** Without what its reader wants no more; nothing of it is told later either. */
const wantedOf = async ({ alertMails }: Within, box: MailBox): Promise<MailBox> => {
  const stops = (await alertMails.stops(box.accountId, [box.recipient])).get(box.recipient);
  if (stops === undefined) return box;
  for (const scope of stops) await alertMails.forget(box, scope === "all" ? null : scope);
  const beyond = box.beyond.filter(({ ruleId }) =>
    ruleId === null ? !stops.has("all") : !isStopped(stops, ruleId),
  );
  return { ...box, beyond };
};

/** Makes the e-mail that tells this; of one rule, or of all that there is. */
const tell = async (
  within: Within,
  { entropy, publicUrl, nowMs }: FlushParts,
  box: MailBox,
  news: readonly RuleNews[],
): Promise<void> => {
  const { alertMails, mails, access } = within;
  const { accountId, recipient } = box;
  const [first, ...others] = news;
  const ruleId = others.length === 0 ? (first?.ruleId ?? null) : null;
  const token = tokenOf(entropy.bytes(TOKEN_BYTES));
  const stopUrl = `${publicUrl}/stop-mails/${token}`;
  const alerts = await alertMails.alerts(box, ruleId, LISTED_MAX);
  const follows = await alertMails.toldIn(box, ruleId, FOLLOWS_MAX);
  const id = await mails.add({
    ...alertMail({ recipient, news, alerts, publicUrl, stopUrl }),
    id: mailIdOf(box, ruleId ?? "several"),
    to: recipient,
    expiresAt: nowMs + EXPIRES_MS,
    follows,
    stopUrl,
  });
  const link = {
    purpose: "stop-mails",
    subject: stopSubject(accountId, recipient),
    content: writeStopLink({ accountId, recipient, ruleId }),
    expiresAt: nowMs + STOP_LINK_MS,
  } as const;
  await access.links.add(token, link, { keepOthers: true });
  await alertMails.told(box, ruleId, id);
};

const flushBox = async (within: Within, parts: FlushParts, due: MailBox): Promise<FlushedBox> => {
  const { alertMails } = within;
  const { nowMs } = parts;
  const box = await wantedOf(within, due);
  const followed = await alertMails.news(box);
  const news = allNews(followed, box.beyond);
  const save = (changes: Partial<MailBox>) => alertMails.save([{ box: { ...box, ...changes }, alerts: [] }]);
  if (news.length === 0) {
    await save({ dueAt: null, followed: 0 });
    return { kind: "told", mails: [] };
  }
  const budget = await mailBudget(alertMails, box, nowMs);
  if (budget.wait !== null) {
    const count = followed.reduce((sum, { firing, resolved }) => sum + firing + resolved, 0);
    await save({ dueAt: budget.wait.untilMs, followed: count });
    return { kind: "waits", ...budget.wait };
  }
  const mails = cutNews(news, budget.left);
  for (const each of mails) await tell(within, parts, box, each);
  await budget.spend(mails.length);
  await save({ dueAt: null, toldAt: nowMs, followed: 0, beyond: [] });
  return { kind: "told", mails: mails.map(({ length }) => (length > 1 ? "digest" : "rule")) };
};

/** Tells what is due; to be called in a transaction, which it is all of. */
export const flushAlertMails = async (
  within: Within,
  parts: FlushParts,
  limit: number,
): Promise<FlushedBox[]> => {
  await within.alertMails.lock();
  const flushed = [];
  for (const box of await within.alertMails.due(parts.nowMs, limit))
    flushed.push(await flushBox(within, parts, box));
  return flushed;
};
