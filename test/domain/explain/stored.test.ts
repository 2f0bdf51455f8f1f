import { describe, expect, test } from "vitest";
import { type AlertData, AlertData as AlertSchema } from "../../../schemas/alert.ts";
import { SilenceId } from "../../../schemas/common.ts";
import type { EventData } from "../../../schemas/event.ts";
import type { Question } from "../../../src/domain/explain/explain.ts";
import { storedThen } from "../../../src/domain/explain/stored.ts";
import { definition, rule } from "../../support/partition.ts";
import { event } from "../../support/rows.ts";

const START = Date.UTC(2026, 0, 31, 9);
const iso = (ms: number) => new Date(ms).toISOString();
const at = (seconds: number): string => iso(START + seconds * 1_000);
const LONG_AFTER = START + 86_400_000;
const OLD = { createdAt: at(-3_600), updatedAt: at(-3_600) };

const question = (of: Partial<Question> = {}): Question => ({
  rule: { ...rule(1), ...OLD },
  signal: definition(1, { createdAt: 0, updatedAt: 0 }),
  atMs: START,
  isPast: true,
  readings: [],
  isCut: false,
  ruleChangedAt: null,
  begun: [],
  silences: [],
  ...of,
});
interface Said {
  readonly alert?: Partial<AlertData>;
  readonly data?: EventData;
}
let sequence = 0;
/** Of an alert that fired 10 s before the moment, so many seconds after it. */
const told = (
  kind: "alert.firing" | "alert.resolved" | "alert.acknowledged",
  seconds: number,
  { alert = {}, data = {} }: Said = {},
) => {
  const isOver = kind === "alert.resolved";
  const whole = AlertSchema.parse({
    id: "alr_01JDA2V3Q8R5T7W9Y1B3D5F7H9",
    ruleId: rule(1).id,
    ruleName: "weak",
    severity: "warning",
    state: isOver ? "resolved" : "firing",
    firedAt: at(-10),
    resolvedAt: isOver ? at(seconds) : null,
    value: -85,
    limit: -80,
    ...(isOver ? { resolveReason: "recovered" } : {}),
    ...alert,
  });
  sequence++;
  return event(sequence, { kind, at: START + seconds * 1_000, sequence, data: { ...data, alert: whole } });
};
const texts = ({ steps }: ReturnType<typeof storedThen>) => steps.map(({ text }) => text);
const NOTHING = { told: [], read: [] };

describe("what was told by a moment", () => {
  test("is told event by event, with who took it on and what kept it from being heard", () => {
    const acknowledged = { at: at(-6), by: "key_1", note: "on it" };
    const silencedBy = SilenceId.parse("sil_01JDA2V3Q8R5T7W9Y1B3D5F7H9");
    const fired = told("alert.firing", -10);
    const up = {
      alert: { severity: "critical", previousSeverity: "warning", value: -95, limit: -90 } as const,
      data: { silencedBy },
    };
    const harder = told("alert.firing", -8, up);
    const taken = told("alert.acknowledged", -6, { alert: { acknowledged, severity: "critical" } });
    const found = storedThen(
      question(),
      "firing",
      { told: [taken, harder, fired], read: [taken] },
      LONG_AFTER,
    );
    expect(found.stored).toEqual({
      firing: true,
      alertId: "alr_01JDA2V3Q8R5T7W9Y1B3D5F7H9",
      since: at(-6),
      severity: "critical",
      acknowledged,
      silencedBy: null,
      heldBy: null,
      differs: false,
    });
    expect(found.steps.map((step) => [step.kind, step.at, step.text])).toEqual([
      ["stored", at(-10), "By the events stored, an alert fired as warning, −85 against the limit −80."],
      [
        "stored",
        at(-8),
        `By the events stored, the alert went from warning to critical, −95 against the limit −90. The event was delivered to nobody: ${silencedBy} silenced it.`,
      ],
      ["stored", at(-6), 'By the events stored, key_1 acknowledged the alert: "on it".'],
    ]);
  });

  test("is nothing where no event is of it, and that is no difference where nothing fires", () => {
    for (const outcome of ["idle", "pending", "noReadings", "notSelected"] as const) {
      const found = storedThen(question(), outcome, NOTHING, LONG_AFTER);
      expect(found.stored).toMatchObject({ firing: false, alertId: null, since: null, differs: false });
      expect(texts(found)).toEqual([
        "By the events stored, no alert of the rule on the signal had been told of by then.",
      ]);
    }
  });

  test("is of the newest alert only", () => {
    const before = told("alert.resolved", -60, {
      alert: { id: AlertSchema.shape.id.parse("alr_01JDA2V3Q8R5T7W9Y1B3D5F7H0") },
    });
    const alerts = { told: [told("alert.firing", -10), before], read: [] };
    expect(texts(storedThen(question(), "firing", alerts, LONG_AFTER))).toHaveLength(1);
  });

  test("is bounded, however often its severity changed", () => {
    const steps = Array.from({ length: 40 }, (_, n) => told("alert.firing", -n));
    const { steps: shown } = storedThen(question(), "firing", { told: steps, read: [] }, LONG_AFTER);
    expect(shown.map((step) => step.at)).toEqual([-9, -8, -7, -6, -5, -4, -3, -2, -1, 0].map(at));
  });
});

describe("where it differs from what the stored readings come to,", () => {
  const differing = (of: Partial<Question>, alerts: Parameters<typeof storedThen>[2] = NOTHING) => {
    const found = storedThen(question(of), "firing", alerts, LONG_AFTER);
    expect(found.stored.differs).toBe(true);
    return texts(found).at(-1);
  };

  test("it is said that readings may have come late, if nothing else is known", () => {
    expect(differing({})).toBe(
      "What was told differs: the rule did not fire then, and by the stored readings it does. Why that may be: readings may have come late: they are stored, but were not evaluated.",
    );
    const fired = { told: [told("alert.firing", -10)], read: [] };
    const found = storedThen(question(), "idle", fired, LONG_AFTER);
    expect(texts(found).at(-1)).toContain("the rule fired then, and by the stored readings it does not.");
  });

  test("a rule or a signal that was made or changed since is named", () => {
    expect(differing({ rule: { ...rule(1), ...OLD, createdAt: at(60) } })).toContain(
      `Why that may be: the rule was made only at ${at(60)}.`,
    );
    const changed = differing({
      rule: { ...rule(1), ...OLD, updatedAt: at(60) },
      signal: definition(1, { createdAt: 0, updatedAt: START + 61_000 }),
      isCut: true,
    });
    expect(changed).toContain(
      `the rule was changed at ${at(60)}, the signal was changed at ${at(61)} and older readings were not looked at.`,
    );
  });

  test("an end that no reading made is named", () => {
    const ended = told("alert.resolved", -5, { alert: { resolveReason: "paused" } });
    expect(differing({}, { told: [ended], read: [ended] })).toContain(
      "the alert had ended for another reason than a reading (paused)",
    );
  });

  test("an event of just now may be on its way", () => {
    const found = storedThen(question(), "firing", NOTHING, START + 9_000);
    expect(texts(found).at(-1)).toContain("an event may still be on its way");
  });

  test("only because it was told later than the reading was taken, that is no difference", () => {
    const late = told("alert.firing", 90);
    // What was done long after tells of no other reading.
    const taken = told("alert.acknowledged", 500);
    const paused = told("alert.resolved", 900, { alert: { resolveReason: "paused" } });
    const found = storedThen(question(), "firing", { told: [], read: [paused, taken, late] }, LONG_AFTER);
    expect(found.stored).toMatchObject({ firing: true, since: at(90), differs: false });
    expect(texts(found).at(-1)).toBe(
      "Only 90 s after this moment, an alert fired as warning, −85 against the limit −80: its reading came later than it was taken, or waited to be evaluated.",
    );
  });
});
