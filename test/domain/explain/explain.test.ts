import { describe, expect, test } from "vitest";
import type { SignalDefinition } from "../../../schemas/change.ts";
import { SilenceDefinition } from "../../../schemas/silence.ts";
import { type CompiledSilence, compileSilence } from "../../../src/domain/evaluation/silence-book.ts";
import { explain, type Question } from "../../../src/domain/explain/explain.ts";
import { accountId, definition, rule, sourceId } from "../../support/partition.ts";

const START = Date.UTC(2026, 0, 31, 9);
const at = (seconds: number): string => new Date(START + seconds * 1_000).toISOString();
type RuleOf = Parameters<typeof rule>[1];

/** A strength every 10 s; the moment asked for is so many seconds after the first one. */
const explained = (
  strengths: readonly number[],
  seconds: number,
  of: RuleOf = {},
  signal: Partial<SignalDefinition> = {},
  silences: readonly CompiledSilence[] = [],
  questionOf: Partial<Pick<Question, "rule" | "ruleChangedAt" | "isPast">> = {},
) =>
  explain({
    rule: rule(1, of),
    ruleChangedAt: null,
    isPast: false,
    ...questionOf,
    signal: definition(1, { createdAt: 0, updatedAt: 0, ...signal }),
    atMs: START + seconds * 1_000,
    readings: strengths
      .map((strength, i) => ({ atMs: START + i * 10_000, strength }))
      .filter(({ atMs }) => atMs <= START + seconds * 1_000),
    isCut: false,
    begun: [],
    silences,
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
    expect(told(found)).toEqual([["firing", at(10), "It fires: −81 dBm is beyond −80 dBm."]]);
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
      ["firing", at(25), "It fires: −85 dBm is beyond −80 dBm, after 15 s of waiting."],
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
      ["firing", at(0), "It fires: −81 dBm is beyond −80 dBm."],
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

describe("what a rule compares is explained", () => {
  const limitsOf = (of: RuleOf, signal: Partial<SignalDefinition> = {}) =>
    explained([-60], 0, of, signal)
      .steps.filter(({ kind }) => kind === "limits")
      .map(({ text }) => text);

  test.each<[string, RuleOf, string]>([
    ["a lower limit", {}, "The rule fires below −80 dBm, and clears at −77 dBm."],
    [
      "an upper limit, with waits",
      {
        condition: { operator: "above", value: -60, hysteresis: 5 },
        forSeconds: 30,
        keepFiringForSeconds: 60,
      },
      "The rule fires above −60 dBm, and clears at −65 dBm. It waits for 30 s before it fires. It is kept firing for 60 s after it has cleared.",
    ],
    [
      "a band",
      { condition: { operator: "outside", value: -90, upper: -60 } },
      "The rule fires below −90 dBm or above −60 dBm, and clears from −87 dBm to −63 dBm.",
    ],
    [
      "a quality",
      { condition: { metric: "quality", operator: "below", value: 0.3 } },
      "Quality runs from −100 dBm, which is 0, to −50 dBm, which is 1. The rule fires below 0.3, and clears at 0.35.",
    ],
    [
      "a change",
      { condition: { operator: "change", value: 10, overSeconds: 60, direction: "fall" } },
      "The rule fires at a fall of more than 10 dB within 60 s, and clears at one of 7 dB or less.",
    ],
    [
      "silence",
      { condition: { operator: "noData", overSeconds: 45 } },
      "The rule fires after 45 s without a reading, and clears at the next one.",
    ],
  ])("%s", (_, of, text) => {
    expect(limitsOf(of)).toEqual([text]);
  });

  test("each of its levels, and how it steps between them", () => {
    const of: RuleOf = {
      condition: { operator: "below" },
      levels: [
        { severity: "warning", value: -80 },
        { severity: "critical", value: -95 },
      ],
    };
    expect(limitsOf(of)).toEqual([
      "The rule fires as warning below −80 dBm, and clears at −77 dBm.",
      "The rule fires as critical below −95 dBm, and clears at −92 dBm.",
    ]);
    expect(told(explained([-81, -96, -90], 60, of)).map(([, , text]) => text)).toEqual([
      "It fires as warning: −81 dBm is beyond −80 dBm.",
      "It steps from warning to critical: −96 dBm is beyond −95 dBm.",
      "It steps from critical to warning: −90 dBm is beyond −80 dBm.",
    ]);
  });

  test("a limit that is the signal's own, or is missing", () => {
    const of: RuleOf = { condition: { operator: "below", valueFrom: { label: "floor" } } };
    expect(limitsOf(of, { labels: { floor: "-70" } })).toEqual([
      "The rule fires below −70 dBm, and clears at −67 dBm. The signal's label floor, -70, is where a limit is taken from.",
    ]);
    expect(explained([-60], 0, of, { labels: { floor: "low" } })).toMatchObject({
      outcome: "notSelected",
      summary: expect.stringContaining("its limit is the signal's own label floor, which holds no number"),
    });
  });

  test("a change and a silence that were beyond it", () => {
    const change: RuleOf = { condition: { operator: "change", value: 10, overSeconds: 60 } };
    expect(told(explained([-60, -75], 10, change))[0]?.[2]).toBe(
      "It fires: a change of 15 dB is beyond 10 dB within 60 s.",
    );
    const noData: RuleOf = { condition: { operator: "noData", overSeconds: 45 } };
    expect(told(explained([-60, -60], 60, noData))).toEqual([
      ["firing", at(55), "It fires: no reading has come for 45 s."],
    ]);
  });
});

describe("what holds a rule or its alerts back is explained", () => {
  test("a schedule that is closed", () => {
    const open = { timeZone: "Europe/Berlin", windows: [{ from: "22:00", to: "06:00" }] };
    const found = explained([-90], 10, { schedule: open });
    expect(found.outcome).toBe("idle");
    expect(found.steps.map(({ text }) => text)).toContain(
      "Its schedule (Europe/Berlin) is closed until 2026-01-31T21:00:00.000Z: no reading of that time fires.",
    );
  });

  test("a silence that covers the signal, at the moment", () => {
    const silence = SilenceDefinition.parse({
      id: "sil_01JDA2V3Q8R5T7W9Y1B3D5F7H9",
      select: {},
      ruleIds: null,
      from: at(0),
      until: at(30),
      untilResolved: false,
      schedule: null,
      reason: "mast repair",
    });
    const silences = [compileSilence(accountId(1), 1, silence)];
    const during = explained([-90], 10, {}, {}, silences);
    expect(during.outcome).toBe("firing");
    expect(during.summary).toContain(
      `A silence covers it until ${at(30)}: an alert is kept, and delivered to nobody (${silence.id}: mast repair).`,
    );
    expect(explained([-90], 10, {}, {}, silences, { isPast: true }).summary).toContain(
      `A silence covered it then until ${at(30)}: an alert was kept, and delivered to nobody (${silence.id}`,
    );
    expect(explained([-90], 40, {}, {}, silences).summary).not.toContain("silence");
  });
});

describe("of a moment that has passed", () => {
  const then = (strengths: readonly number[], seconds: number, of: RuleOf = {}) =>
    explained(strengths, seconds, of, {}, [], { isPast: true }).summary;

  test("what it was is told as what may be over", () => {
    expect(then([-60, -81], 15)).toBe(
      `It fired, from ${at(10)} on. The newest reading then: −81 dBm; fires below −80 dBm.`,
    );
    expect(then([-60, -81], 15, { forSeconds: 30 })).toMatch(
      `It did not fire yet: it was pending since ${at(10)}, 5 s of 30 s. The newest reading then: −81 dBm`,
    );
    expect(then([-81, -60], 15, { keepFiringForSeconds: 60 })).toBe(
      `It fired still: readings were good since ${at(10)}, and it was to resolve at ${at(70)} if they stayed so.`,
    );
    expect(then([-60], 5)).toBe(
      "It did not fire. The newest reading then: −60 dBm; fires below −80 dBm. It had not been pending or firing in what is known.",
    );
  });
});

describe("an explanation", () => {
  test("says that rule and signal are as they are now", () => {
    const found = explained([-60], 10, {}, { updatedAt: START + 60_000 });
    expect(found.steps[0]?.text).toBe(
      `The signal was made or changed at ${at(60)}, after this moment: it is explained as it is now.`,
    );
  });

  test("says that the rule has been changed since, also of one that was disabled then", () => {
    const since = `The rule has been changed since, last at ${at(90)}: as it was before is told here.`;
    const ruleOf = { ruleChangedAt: at(90) };
    const found = explained([-90], 10, {}, {}, [], ruleOf);
    expect(found.outcome).toBe("firing");
    expect(found.steps.map(({ text }) => text)).toContain(since);
    expect(explained([-90], 10, { enabled: false }, {}, [], ruleOf)).toMatchObject({
      outcome: "disabled",
      steps: [{ text: since }, { text: "The rule is disabled: it looks at no signal." }],
    });
  });

  test("says of a rule of which nothing older is kept from when it is known", () => {
    const made = { ...rule(1), updatedAt: at(30) };
    const text = `The rule was made or changed at ${at(30)}, after this moment: it is explained as it`;
    const known = explained([-60], 10, {}, {}, [], { rule: made, ruleChangedAt: at(90) });
    expect(known.steps[0]?.text).toBe(`${text} became then.`);
    expect(explained([-60], 10, {}, {}, [], { rule: made }).steps[0]?.text).toBe(`${text} is now.`);
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
