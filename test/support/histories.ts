import fc from "fast-check";
import type { Change, SignalDefinition } from "../../schemas/change.ts";
import { SilenceId } from "../../schemas/common.ts";
import type { RuleCreate } from "../../schemas/rule.ts";
import type { SilenceDefinition } from "../../schemas/silence.ts";
import type { LogRecord } from "../../src/domain/log-record.ts";
import { readingLine } from "../../src/domain/reading-line.ts";
import { changeRecord, type OutgoingRecord, tickRecord } from "../../src/domain/records.ts";
import {
  accountId,
  asRecord,
  ruleChange,
  ruleId,
  START_MS,
  signalChange,
  signalId,
  sourceId,
} from "./partition.ts";

export const SIGNALS = 6;

/** What one step of a made-up history appends, and how much later. */
interface Step {
  readonly afterMs: number;
  readonly outgoing: (nowMs: number, revision: number) => OutgoingRecord;
}

const n = fc.integer({ min: 1, max: SIGNALS });
const strength = fc.integer({ min: -110, max: -45 });
const silenceId = (of: number) => SilenceId.parse(signalId(of).replace("sig_", "sil_"));
const LEVELS = [
  { severity: "info" as const, value: -70 },
  { severity: "warning" as const, value: -80 },
  { severity: "critical" as const, value: -95 },
];
const seconds = fc.constantFrom(0, 0, 1, 3, 10);

const block = fc
  .array(fc.record({ n, strength, agoMs: fc.constantFrom(0, 0, 0, 500, 20_000) }), {
    minLength: 1,
    maxLength: 12,
  })
  .map((readings) => (nowMs: number) => {
    const lines = readings.map(({ n, strength, agoMs }) => readingLine(signalId(n), nowMs - agoMs, strength));
    return { value: new TextEncoder().encode(lines.join("")) };
  });

const signal = fc
  .record({
    n,
    threshold: fc.constantFrom(0, 0.2, 0.5),
    noDataAfterSeconds: fc.constantFrom<SignalDefinition["noDataAfterSeconds"]>(null, 2, 7, "auto"),
    paused: fc.constantFrom(false, false, false, true),
    labels: fc.constantFrom({}, { site: "north" }, { site: "north", minDbm: "-85" }, { minDbm: "-70" }),
    from: fc.constantFrom(null, sourceId(1)),
  })
  .map(
    ({ n, from, ...rest }) =>
      (revision: number) =>
        signalChange(n, { ...rest, sourceId: from, revision }),
  );

type Fields = typeof RuleCreate._zod.input;

const rule = fc
  .record({
    n: fc.integer({ min: 1, max: 3 }),
    name: fc.constantFrom("a", "b"),
    condition: fc.constantFrom<Fields["condition"]>(
      { operator: "below" as const, value: -80 },
      { operator: "above" as const, value: -60 },
      { operator: "outside" as const, value: -90, upper: -55 },
      { metric: "quality" as const, operator: "below" as const, value: 0.3 },
      { operator: "change" as const, value: 15, overSeconds: 10 },
      { operator: "change" as const, value: 25, overSeconds: 60, direction: "fall" as const },
      { operator: "noData" as const, overSeconds: 4 },
      { operator: "below" as const, valueFrom: { label: "minDbm" } },
      { operator: "below" as const, hysteresis: 2 },
    ),
    schedule: fc.constantFrom<Fields["schedule"]>(
      null,
      null,
      null,
      { timeZone: "UTC", windows: [{ from: "00:01", to: "00:02" }] },
      { timeZone: "Asia/Kolkata", windows: [{ from: "05:30", to: "05:33" }] },
    ),
    flapDetection: fc.boolean(),
    select: fc.constantFrom({}, { labels: { site: "north" } }),
    forSeconds: seconds,
    keepFiringForSeconds: seconds,
    failsSignal: fc.boolean(),
  })
  .map(({ n, forSeconds, ...rest }) => (revision: number) => {
    const isBare = rest.condition.value === undefined && rest.condition.valueFrom === undefined;
    const levels = isBare && rest.condition.operator === "below" ? LEVELS : null;
    const waits = rest.condition.operator === "noData" ? {} : { forSeconds };
    return ruleChange(n, { ...rest, ...waits, levels }, revision);
  });

const silence = fc
  .record({
    n: fc.integer({ min: 1, max: 2 }),
    select: fc.constantFrom<SilenceDefinition["select"]>(
      {},
      { labels: { site: "north" } },
      { signalIds: [signalId(1), signalId(2)] },
    ),
    ruleIds: fc.constantFrom<SilenceDefinition["ruleIds"]>(null, null, [ruleId(1)]),
    ends: fc.constantFrom("soon", "late", "resolved", "recurs"),
  })
  .map(({ n, ends, select, ruleIds }) => (revision: number): Change => {
    const until = { soon: 20_000, late: 300_000, resolved: null, recurs: null }[ends];
    return {
      type: "silence",
      accountId: accountId(1),
      revision,
      silence: {
        id: silenceId(n),
        select,
        ruleIds,
        from: new Date(START_MS + 5_000).toISOString(),
        until: until === null ? null : new Date(START_MS + until).toISOString(),
        untilResolved: ends === "resolved",
        schedule: ends === "recurs" ? { timeZone: "UTC", windows: [{ from: "00:00", to: "00:01" }] } : null,
        reason: "maintenance",
      },
    };
  });

const removal = fc.oneof(
  fc.integer({ min: 1, max: 2 }).map(
    (of) =>
      (revision: number): Change => ({
        type: "silenceDeleted",
        silenceId: silenceId(of),
        accountId: accountId(1),
        revision,
      }),
  ),
  n.map(
    (of) =>
      (revision: number): Change => ({
        type: "signalDeleted",
        signalId: signalId(of),
        accountId: accountId(1),
        revision,
      }),
  ),
  fc.integer({ min: 1, max: 3 }).map(
    (of) =>
      (revision: number): Change => ({
        type: "ruleDeleted",
        ruleId: ruleId(of),
        accountId: accountId(1),
        revision,
      }),
  ),
);
const flow = fc
  .boolean()
  .map((paused) => (): Change => ({ type: "sourceFlow", sourceId: sourceId(1), paused }));

const step: fc.Arbitrary<Step> = fc.record({
  afterMs: fc.constantFrom(0, 10, 900, 1_000, 4_000, 60_000),
  outgoing: fc.oneof(
    { weight: 12, arbitrary: block },
    { weight: 4, arbitrary: fc.constant(() => tickRecord(0)) },
    {
      weight: 4,
      arbitrary: fc
        .oneof(
          { weight: 4, arbitrary: signal },
          { weight: 3, arbitrary: rule },
          { weight: 2, arbitrary: silence },
          flow,
          removal,
        )
        .map((make) => (_: number, revision: number) => changeRecord(make(revision), 0)),
    },
  ),
});

/** A history that begins with every signal and two rules. */
export const history: fc.Arbitrary<LogRecord[]> = fc
  .array(step, { minLength: 5, maxLength: 80 })
  .map((steps) => {
    const first = [
      ruleChange(1, { forSeconds: 3 }),
      ruleChange(2, { condition: { operator: "above", value: -60 }, keepFiringForSeconds: 3 }),
      ...Array.from({ length: SIGNALS }, (_, i) =>
        signalChange(i + 1, {
          threshold: 0.2,
          noDataAfterSeconds: 7,
          sourceId: i % 2 === 0 ? sourceId(1) : null,
        }),
      ),
    ].map((change) => changeRecord(change, 0));
    let nowMs = START_MS;
    const later = steps.map(({ afterMs, outgoing }, i) => {
      nowMs += afterMs;
      return asRecord(outgoing(nowMs, i + 2), first.length + i, nowMs);
    });
    return [...first.map((outgoing, offset) => asRecord(outgoing, offset, START_MS)), ...later];
  });
