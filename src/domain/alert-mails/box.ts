import type { AccountId, AlertId, MailId, RuleId } from "../../../schemas/common.ts";
import type { Severity } from "../../../schemas/condition.ts";
import type { Email } from "../../../schemas/email.ts";
import type { AlertNews } from "./news.ts";

/** What happens within so long of the first of it is told together. */
export const WAIT_MS = 10_000;
/** From one e-mail to the next. */
export const INTERVAL_MS = 60_000;
/** Alerts with news that are followed one by one; news of others are counted. */
export const FOLLOWED_MAX = 1_000;
/** Rules that news are counted by; those of others are counted together. */
export const BEYOND_RULES_MAX = 50;

/** One address, as one account writes to it. */
export interface BoxKey {
  readonly accountId: AccountId;
  readonly recipient: Email;
}

/** News of alerts that are only counted. */
export interface BeyondNews {
  /** Null: of several rules. */
  readonly ruleId: RuleId | null;
  readonly ruleName: string;
  readonly fired: number;
  readonly resolved: number;
}

/** What waits to be told to one address. Times are Unix milliseconds. */
export interface MailBox extends BoxKey {
  /** When it is told; null: nothing waits. */
  readonly dueAt: number | null;
  /** When the newest e-mail was made; 0: none was. */
  readonly toldAt: number;
  /** Alerts of which there is news. */
  readonly followed: number;
  readonly beyond: readonly BeyondNews[];
}

/** An alert as the address is to be told of it, or was. */
export interface FollowedAlert {
  readonly alertId: AlertId;
  readonly ruleId: RuleId;
  readonly ruleName: string;
  readonly signalName: string;
  readonly state: "firing" | "resolved";
  readonly severity: Severity;
  readonly value: number | null;
  readonly limit: number;
  readonly firedAt: string;
  readonly resolvedAt: string | null;
  /** Of its signal's newest event about it. */
  readonly sequence: number;
  /** How often it fired, stepped or resolved since it was last told; 0: it was told as it is. */
  readonly news: number;
  /** The e-mail that told of it first. */
  readonly mailId: MailId | null;
}

export const emptyBox = ({ accountId, recipient }: BoxKey): MailBox => ({
  accountId,
  recipient,
  dueAt: null,
  toldAt: 0,
  followed: 0,
  beyond: [],
});

const followedOf = (
  { alert, signalName, sequence }: AlertNews,
  before: FollowedAlert | null,
): FollowedAlert => ({
  alertId: alert.id,
  ruleId: alert.ruleId,
  ruleName: alert.ruleName,
  signalName,
  state: alert.state,
  severity: alert.severity,
  value: alert.value,
  limit: alert.limit,
  firedAt: alert.firedAt,
  resolvedAt: alert.resolvedAt,
  sequence,
  news: (before?.news ?? 0) + 1,
  mailId: before?.mailId ?? null,
});

/** Of whom news are counted: the rule, or all those that came when there were too many. */
const counter = (beyond: readonly BeyondNews[], { alert: { ruleId, ruleName } }: AlertNews): BeyondNews => {
  const none = { fired: 0, resolved: 0 };
  const own = beyond.find((each) => each.ruleId === ruleId);
  if (own !== undefined) return own;
  if (beyond.length < BEYOND_RULES_MAX) return { ruleId, ruleName, ...none };
  return beyond.find((each) => each.ruleId === null) ?? { ruleId: null, ruleName: "other rules", ...none };
};

const counted = (beyond: readonly BeyondNews[], news: AlertNews): readonly BeyondNews[] => {
  const of = counter(beyond, news);
  const isFiring = news.alert.state === "firing";
  const more = isFiring ? { ...of, fired: of.fired + 1 } : { ...of, resolved: of.resolved + 1 };
  return beyond.includes(of) ? beyond.map((each) => (each === of ? more : each)) : [...beyond, more];
};

/** What news makes of a box, and of the alert if it is followed; `before`: as it was followed. */
export interface TakenNews {
  readonly box: MailBox;
  readonly followed: FollowedAlert | null;
}

/** The news waits for more, and for an interval after the last e-mail. What was heard before changes nothing. */
export const takeNews = (
  box: MailBox,
  before: FollowedAlert | null,
  news: AlertNews,
  nowMs: number,
): TakenNews => {
  if (before !== null && news.sequence <= before.sequence) return { box, followed: before };
  const dueAt = box.dueAt ?? Math.max(nowMs + WAIT_MS, Math.min(box.toldAt, nowMs) + INTERVAL_MS);
  const isWaiting = before !== null && before.news > 0;
  if (!isWaiting && box.followed >= FOLLOWED_MAX)
    return { box: { ...box, dueAt, beyond: counted(box.beyond, news) }, followed: before };
  const followed = box.followed + (isWaiting ? 0 : 1);
  return { box: { ...box, dueAt, followed }, followed: followedOf(news, before) };
};
