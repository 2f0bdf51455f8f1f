import { describe, expect, test } from "vitest";
import type { SignalDefinition } from "../../../schemas/change.ts";
import { explain } from "../../../src/domain/explain/explain.ts";
import { definition, rule, sourceId } from "../../support/partition.ts";

const START = Date.UTC(2026, 0, 31, 9);
const at = (seconds: number): string => new Date(START + seconds * 1_000).toISOString();
type RuleOf = Parameters<typeof rule>[1];

/** A strength every 10 s; the moment asked for is so many seconds after the first one. */
const explained = (
  strengths: readonly number[],
  seconds: number,
  of: RuleOf = {},
  signal: Partial<SignalDefinition> = {},
) =>
  explain({
    rule: rule(1, of),
    signal: definition(1, { createdAt: 0, updatedAt: 0, ...signal }),
    atMs: START + seconds * 1_000,
    readings: strengths
      .map((strength, i) => ({ atMs: START + i * 10_000, strength }))
      .filter(({ atMs }) => atMs <= START + seconds * 1_000),
    isCut: false,
  });

const told = ({ steps }: ReturnType<typeof explain>) =>
  steps.filter(({ at: time }) => time !== null).map(({ kind, at: time, text }) => [kind, time, text]);

describe("a rule that fires is explained", () => {
  test("by the reading that crossed the limit, and since when", () => {
    const found = explained([-60, -81, -85], 25);
    expect(found).toMatchObject({
      outcome: "firing",
      summary: `It fires, since ${at(10)}. The newest reading: −85 dBm; clears at −77 dBm.`,
    });
    expect(told(found)).toEqual([["firing", at(10), "It fires: −81 is beyond −80."]]);
    expect(found.steps.at(-1)).toMatchObject({ value: -81, limit: -80 });
    expect(found.readings.map(({ strength, outcome }) => [strength, outcome])).toEqual([
      [-60, "ok"],
      [-81, "fires"],
      [-85, "fires"],
    ]);
  });

  test("by the wait that went before, and its end between two readings", () => {
    const found = explained([-60, -81, -85], 40, { forSeconds: 15 });
    expect(found.outcome).toBe("firing");
    expect(told(found)).toEqual([
      [
        "pending",
        at(10),
        "It is pending: the reading of −81 dBm is beyond the limit, and has to be for 15 s.",
      ],
      ["firing", at(25), "It fires: −85 is beyond −80, after 15 s of waiting."],
    ]);
  });

  test("by what keeps it firing", () => {
    const of = { keepFiringForSeconds: 60 };
    const found = explained([-81, -60, -60], 25, of);
    expect(found).toMatchObject({
      outcome: "firing",
      summary: `It fires still: readings are good since ${at(10)}, and it resolves at ${at(70)} if they stay so.`,
    });
    expect(told(explained([-81, -60, -81, -60, -60, -60], 200, of))).toEqual([
      ["firing", at(0), "It fires: −81 is beyond −80."],
      [
        "clearing",
        at(10),
        "The reading of −60 dBm is clear of the limit; it is kept firing for another 60 s.",
      ],
      ["firing", at(20), "It goes on firing: the reading of −81 dBm is not clear of the limit."],
      [
        "clearing",
        at(30),
        "The reading of −60 dBm is clear of the limit; it is kept firing for another 60 s.",
      ],
      ["ended", at(90), "It resolves: time ends it."],
    ]);
  });
});

describe("a rule that does not fire is explained", () => {
  test("by what it waits for", () => {
    const found = explained([-60, -81], 15, { forSeconds: 30 });
    expect(found).toMatchObject({ outcome: "pending" });
    expect(found.summary).toContain(`it is pending since ${at(10)}, 5 s of 30 s.`);
    expect(found.steps.at(-1)).toMatchObject({ kind: "pending", until: at(40) });
  });

  test("by the reading that ended the wait", () => {
    const found = explained([-81, -60], 60, { forSeconds: 30 });
    expect(found).toMatchObject({ outcome: "idle" });
    expect(told(found).at(-1)).toEqual([
      "ended",
      at(10),
      "It does not fire: the reading of −60 dBm ends the wait after 10 s of 30 s.",
    ]);
    expect(found.summary).toContain("Before, at");
  });

  test("by readings that never crossed the limit", () => {
    const found = explained([-60, -79.9], 60);
    expect(found).toMatchObject({
      outcome: "idle",
      summary:
        "It does not fire. The newest reading: −79.9 dBm; fires below −80 dBm. It has not been pending or firing in what is known.",
    });
  });

  test("by a reading that recovered it", () => {
    expect(told(explained([-81, -77], 60)).at(-1)).toEqual([
      "ended",
      at(10),
      "It resolves: the reading of −77 dBm ends it.",
    ]);
  });

  test("at a moment before it did, by what was known then", () => {
    expect(explained([-60, -81], 9)).toMatchObject({ outcome: "idle", readings: [{ strength: -60 }] });
  });
});

describe("a rule that does not look at the signal says exactly why", () => {
  test.each<[string, RuleOf, Partial<SignalDefinition>, string, string]>([
    ["it is disabled", { enabled: false }, {}, "disabled", "The rule is disabled: it looks at no signal."],
    [
      "another label",
      { select: { labels: { site: "north" } } },
      { labels: { site: "south" } },
      "notSelected",
      "The rule does not look at the signal: it wants the label site: north, and the signal's is south.",
    ],
    [
      "no such label, another source",
      { select: { labels: { site: "north" }, sourceId: sourceId(1) } },
      {},
      "notSelected",
      `The rule does not look at the signal: it wants signals of the source ${sourceId(1)}, and this one was made by the API and it wants the label site: north, which the signal does not have.`,
    ],
    [
      "it is paused",
      {},
      { paused: true },
      "paused",
      "The signal is paused: its readings are stored, and no rule looks at them.",
    ],
  ])("%s", (_, of, signal, outcome, summary) => {
    expect(explained([-90], 10, of, signal)).toMatchObject({ outcome, summary, readings: [] });
  });

  test("there is no reading", () => {
    expect(explained([], 10)).toMatchObject({
      outcome: "noReadings",
      summary: `No reading of the signal is stored up to ${at(10)}: there was nothing to compare.`,
    });
  });
});

describe("an explanation", () => {
  test("says that rule and signal are as they are now", () => {
    const found = explained([-60], 10, {}, { updatedAt: START + 60_000 });
    expect(found.steps[0]?.text).toBe(
      `The signal was made or changed at ${at(60)}, after this moment: it is explained as it is now.`,
    );
  });

  test("is bounded, however often the rule changes, and counts what it leaves out", () => {
    const found = explained(
      Array.from({ length: 1_000 }, (_, i) => (i % 2 === 0 ? -90 : -60)),
      10_000,
    );
    expect(found.readings).toHaveLength(20);
    expect(told(found)).toHaveLength(30);
    expect(found.steps.map(({ text }) => text).join()).toContain("970 earlier steps are left out");
  });

  test("takes the smallest strengths as they are stored", () => {
    const of = { condition: { operator: "below" as const, value: 0, hysteresis: 0 } };
    expect(explained([-1.2e-7], 5, of)).toMatchObject({ outcome: "firing" });
    expect(explained([1.2e-7], 5, of)).toMatchObject({ outcome: "idle" });
  });
});
