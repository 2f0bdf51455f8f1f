import { expect, test } from "vitest";
import {
  BEYOND_RULES_MAX,
  emptyBox,
  FOLLOWED_MAX,
  type FollowedAlert,
  INTERVAL_MS,
  type MailBox,
  takeNews,
  WAIT_MS,
} from "../../../src/domain/alert-mails/box.ts";
import { type AlertNews, alertNews } from "../../../src/domain/alert-mails/news.ts";
import { allNews, cutNews, RULES_APART_MAX } from "../../../src/domain/alert-mails/rule-news.ts";
import type { AddressedEvent } from "../../../src/domain/records.ts";
import { AlertEvents, JANE } from "../../support/alert-events.ts";
import { accountId, ruleId } from "../../support/partition.ts";

const NOW = Date.UTC(2026, 0, 1);
const EMPTY = emptyBox({ accountId: accountId(1), recipient: JANE });
const newsOf = (event: AddressedEvent): AlertNews => {
  const news = alertNews(event);
  if (news === null) throw new Error("nobody is told");
  return news;
};

/** A box that has taken these, and what it follows. */
const taken = (events: readonly AddressedEvent[], box: MailBox = EMPTY, nowMs = NOW) => {
  const followed = new Map<string, FollowedAlert>();
  for (const news of events.map(newsOf)) {
    const step = takeNews(box, followed.get(news.alert.id) ?? null, news, nowMs);
    box = step.box;
    if (step.followed !== null) followed.set(news.alert.id, step.followed);
  }
  return { box, followed: [...followed.values()] };
};

test("the first news waits for more, and what comes meanwhile does not put it off", () => {
  const events = new AlertEvents(accountId(1));
  const first = taken([events.firing(1, NOW)]);
  expect(first.box).toMatchObject({ dueAt: NOW + WAIT_MS, followed: 1, beyond: [] });
  const second = taken([events.firing(2, NOW)], first.box, NOW + WAIT_MS - 1);
  expect(second.box).toMatchObject({ dueAt: NOW + WAIT_MS, followed: 2 });
});

test("what comes soon after an e-mail waits for an interval, and by a clock that was set back for no longer", () => {
  const events = new AlertEvents(accountId(1));
  const told = { ...EMPTY, toldAt: NOW };
  expect(taken([events.firing(1, NOW)], told, NOW + 1_000).box.dueAt).toBe(NOW + INTERVAL_MS);
  expect(taken([events.firing(2, NOW)], told, NOW + INTERVAL_MS).box.dueAt).toBe(NOW + INTERVAL_MS + WAIT_MS);
  expect(taken([events.firing(3, NOW)], { ...EMPTY, toldAt: NOW * 2 }, NOW).box.dueAt).toBe(
    NOW + INTERVAL_MS,
  );
});

test("an alert that ends before it was told is one, as it is in the end", () => {
  const events = new AlertEvents(accountId(1));
  const { box, followed } = taken([events.firing(1, NOW), events.resolved(1, NOW + 1)]);
  expect(box.followed).toBe(1);
  expect(followed).toMatchObject([{ state: "resolved", news: 2, sequence: 2 }]);
});

test("what was heard before changes nothing", () => {
  const events = new AlertEvents(accountId(1));
  const [firing, resolved] = [events.firing(1, NOW), events.resolved(1, NOW)].map(newsOf);
  if (firing === undefined || resolved === undefined) throw new Error("two");
  const { followed } = takeNews(EMPTY, null, resolved, NOW);
  expect(takeNews(EMPTY, followed, firing, NOW)).toEqual({ box: EMPTY, followed });
});

test("alerts beyond the followed ones are counted by their rule, and those that are followed go on being so", () => {
  const events = new AlertEvents(accountId(1));
  const full = { ...EMPTY, followed: FOLLOWED_MAX, dueAt: NOW };
  const more = [events.firing(1, NOW), events.firing(2, NOW), events.resolved(2, NOW)];
  const { box, followed } = taken([...more, events.firing(3, NOW, { rule: 2 })], full);
  expect(followed).toEqual([]);
  expect(box).toMatchObject({
    followed: FOLLOWED_MAX,
    beyond: [
      { ruleId: ruleId(1), ruleName: "rule 1", fired: 2, resolved: 1 },
      { ruleId: ruleId(2), ruleName: "rule 2", fired: 1, resolved: 0 },
    ],
  });
  const { followed: known } = takeNews(EMPTY, null, newsOf(events.firing(9, NOW)), NOW);
  const end = takeNews(full, known, newsOf(events.resolved(9, NOW)), NOW);
  expect([end.box.beyond, end.followed?.state]).toEqual([[], "resolved"]);
});

test("however many rules there are, a box stays of a bearable size", () => {
  const events = new AlertEvents(accountId(1));
  const all = Array.from({ length: BEYOND_RULES_MAX + 20 }, (_, rule) => events.firing(1, NOW, { rule }));
  const { box } = taken(all, { ...EMPTY, followed: FOLLOWED_MAX, dueAt: NOW });
  expect(box.beyond).toHaveLength(BEYOND_RULES_MAX + 1);
  expect(box.beyond.at(-1)).toEqual({ ruleId: null, ruleName: "other rules", fired: 20, resolved: 0 });
  expect(allNews([], box.beyond).reduce((sum, { news }) => sum + news, 0)).toBe(all.length);
});

test("a few rules get an e-mail each, as long as there are enough to be had, and several one for all", () => {
  const rules = (count: number) =>
    Array.from({ length: count }, (_, n) => ({
      ruleId: ruleId(n),
      ruleName: "r",
      firing: 1,
      resolved: 0,
      news: 1,
    }));
  const sizes = (count: number, left: number) => cutNews(rules(count), left).map(({ length }) => length);
  expect(sizes(1, 1)).toEqual([1]);
  expect(sizes(RULES_APART_MAX, 10)).toEqual([1, 1, 1]);
  expect(sizes(RULES_APART_MAX, 2)).toEqual([3]);
  expect(sizes(RULES_APART_MAX + 1, 10)).toEqual([4]);
});

test("news that are followed and those that are counted make one figure of their rule", () => {
  const followed = { ruleId: ruleId(1), ruleName: "weak", firing: 3, resolved: 1, news: 5 };
  const beyond = { ruleId: ruleId(1), ruleName: "weak", fired: 40, resolved: 2 };
  expect(allNews([followed], [beyond, { ...beyond, ruleId: ruleId(2) }])).toEqual([
    { ruleId: ruleId(1), ruleName: "weak", firing: 43, resolved: 3, news: 47 },
    { ruleId: ruleId(2), ruleName: "weak", firing: 40, resolved: 2, news: 42 },
  ]);
});
