import { expect, test } from "vitest";
import type { Email } from "../../../schemas/email.ts";
import { alertNews } from "../../../src/domain/alert-mails/news.ts";
import { JANE, OMAR } from "../../support/alert-events.ts";
import { accountId, ruleChange, signalChange, TestPartition } from "../../support/partition.ts";
import { silence } from "../../support/reference/history.ts";

/** What an address is told of what the evaluator tells. */
const heard = (partition: TestPartition, address: Email): string[] =>
  partition.sink.events.flatMap((event) => {
    const news = alertNews(event);
    return news?.recipients.includes(address) ? [`${news.alert.state} ${news.alert.severity}`] : [];
  });
const naming = (emails: readonly Email[] | null, revision: number) =>
  ruleChange(1, { notify: emails === null ? null : { emails: [...emails] } }, revision);

test("whoever a rule names is told of each firing and each end, and nobody else", () => {
  const partition = new TestPartition();
  partition.change(signalChange(1), naming([JANE], 1)).strengths(-85, -60, -85, -60);
  const both = ["firing warning", "resolved warning"];
  expect(heard(partition, JANE)).toEqual([...both, ...both]);
  expect(heard(partition, OMAR)).toEqual([]);
  expect(partition.sink.events.length).toBeGreaterThan(4);
});

test("each new severity is told", () => {
  const levels = [
    { severity: "warning" as const, value: -80 },
    { severity: "critical" as const, value: -90 },
  ];
  const partition = new TestPartition();
  const notify = { emails: [JANE] };
  partition.change(signalChange(1), ruleChange(1, { condition: { operator: "below" }, levels, notify }));
  partition.strengths(-85, -95, -85, -60);
  const steps = ["firing warning", "firing critical", "firing warning"];
  expect(heard(partition, JANE)).toEqual([...steps, "resolved warning"]);
});

test("who was told that an alert fires is told its end, though the rule names others or nobody by then", () => {
  const partition = new TestPartition();
  partition.change(signalChange(1), naming([JANE], 1)).strengths(-85);
  partition.change(naming([OMAR], 2)).strengths(-60, -85);
  partition.change(naming(null, 3)).strengths(-60, -85);
  expect(heard(partition, JANE)).toEqual(["firing warning", "resolved warning"]);
  expect(heard(partition, OMAR)).toEqual(["resolved warning", "firing warning", "resolved warning"]);
});

test("what is silenced is told to nobody", () => {
  const partition = new TestPartition();
  const silenced = {
    type: "silence",
    accountId: accountId(1),
    revision: 1,
    silence: silence(1, {}),
  } as const;
  partition.change(signalChange(1), naming([JANE], 1), silenced).strengths(-85, -60);
  expect(partition.sink.events.map(({ event }) => event.event)).toContain("alert.firing");
  expect(heard(partition, JANE)).toEqual([]);
});

test("what is held back as flapping is told to nobody", () => {
  const partition = new TestPartition();
  partition.change(signalChange(1), naming([JANE], 1));
  for (let n = 0; n < 10; n++) partition.strengths(-85, -60);
  expect(heard(partition, JANE)).toHaveLength(7);
});

test("nobody is mailed what changes nothing: that somebody takes it on", () => {
  const partition = new TestPartition();
  partition.change(signalChange(1), naming([JANE], 1)).strengths(-85);
  const alert = partition.sink.events.find(({ event }) => event.event === "alert.firing");
  if (alert?.event.data.alert === undefined || alert.signalId === null) throw new Error("it does not fire");
  const of = { accountId: alert.accountId, signalId: alert.signalId, alertId: alert.event.data.alert.id };
  partition.change({ type: "acknowledged", ...of, at: partition.now, by: "key_1", note: null });
  expect(partition.sink.events.map(({ event }) => event.event)).toContain("alert.acknowledged");
  expect(heard(partition, JANE)).toEqual(["firing warning"]);
});
