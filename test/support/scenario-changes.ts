import fc from "fast-check";
import type { Change } from "../../schemas/change.ts";
import { Notify } from "../../schemas/notify.ts";
import { accountId, ruleChange, ruleId, signalChange, signalId, sourceId } from "./partition.ts";
import { silence, silenceId } from "./reference/history.ts";
import type { Input } from "./reference/input.ts";
import { anyRule, anySelection, RULES, SIGNALS, seldom } from "./scenario-rules.ts";
import { anySchedule, type Stage } from "./scenario-schedules.ts";

/** Something that happens at a time of a scenario, after what came before; revisions rise as time goes on. */
export type Happening = (nowMs: number, revision: number, before: readonly Input[]) => Input;

const SILENCES = 5;
const ONE_ADDRESS = Notify.parse({ emails: ["jane@example.org"] });
const ONE_WEBHOOK = Notify.parse({ webhookIds: ["whk_00000000000000000000000001"] });
export const anySignal = fc.integer({ min: 1, max: SIGNALS });
const anyRuleNumber = fc.integer({ min: 1, max: RULES });
const account = { accountId: accountId(1) };
const changed =
  (make: (nowMs: number, revision: number) => Change): Happening =>
  (nowMs, revision) => ({
    kind: "change",
    appendedAt: nowMs,
    change: make(nowMs, revision),
  });

const labels = fc.record(
  {
    site: fc.constantFrom("north", "south"),
    low: fc.constantFrom("-80", " -85.5 ", "-90", "0x50", "-300", "-200", "", "weak"),
    high: fc.constantFrom("-60", "-78", "-86", "50", "none"),
  },
  { requiredKeys: [] },
);

/** The whole of a signal, as a change brings it. */
const settings = fc.record({
  name: fc.constantFrom("here", "there"),
  labels: labels.map((made): Record<string, string> => ({ ...made })),
  threshold: fc.constantFrom(0, 0, 0.2, 0.5),
  hysteresis: fc.constantFrom(0.05, 0.05, 0.2),
  noDataAfterSeconds: fc.constantFrom(null, null, 2, 7, 60),
  floorDbm: fc.constantFrom(-100, -100, -100, -95),
  paused: fc.constantFrom(false, false, false, false, false, true),
});
export const signalAs = (n: number): fc.Arbitrary<Happening> =>
  settings.map((made) =>
    changed((_, revision) =>
      signalChange(n, { ...made, sourceId: n % 2 === 0 ? sourceId(1) : null, revision }),
    ),
  );

export const ruleAs = (stage: Stage, n: number): fc.Arbitrary<Happening> =>
  anyRule(stage).map((made) => changed((_, revision) => ruleChange(n, made, revision)));

const tick = (nowMs: number): Input => ({ kind: "tick", appendedAt: nowMs });
const newestChange = (before: readonly Input[], isMeant: (change: Change) => boolean): Change | undefined =>
  before.flatMap((input) => (input.kind === "change" ? [input.change] : [])).findLast(isMeant);

/** A rule as it was, but for something that it does not judge. */
const renamed = fc
  .record({
    n: anyRuleNumber,
    different: fc.constantFrom(
      { name: "c" },
      { flapDetection: false },
      { flapDetection: true },
      { notify: ONE_WEBHOOK },
      { notify: ONE_ADDRESS },
      { notify: null },
      {},
    ),
  })
  .map(
    ({ n, different }): Happening =>
      (nowMs, revision, before) => {
        const newest = newestChange(before, (one) => one.type === "rule" && one.rule.id === ruleId(n));
        if (newest?.type !== "rule") return tick(nowMs);
        const change = { ...newest, revision, rule: { ...newest.rule, ...different } };
        return { kind: "change", appendedAt: nowMs, change };
      },
  );

/** A signal as it was, but for one thing. */
const touched = fc
  .record({
    n: anySignal,
    different: fc.oneof(
      fc.record({ labels: labels.map((made): Record<string, string> => ({ ...made })) }),
      fc.record({ paused: fc.boolean() }),
      fc.record({ threshold: fc.constantFrom(0, 0.2, 0.5) }),
      fc.record({ noDataAfterSeconds: fc.constantFrom(null, 2, 7) }),
    ),
  })
  .map(
    ({ n, different }): Happening =>
      (nowMs, revision, before) => {
        const newest = newestChange(before, (one) => one.type === "signal" && one.signal.id === signalId(n));
        if (newest?.type !== "signal") return tick(nowMs);
        const change = { ...newest, signal: { ...newest.signal, ...different, revision } };
        return { kind: "change", appendedAt: nowMs, change };
      },
  );

const removal = fc.oneof(
  { weight: 2, arbitrary: anySignal.map((n) => ({ type: "signalDeleted" as const, signalId: signalId(n) })) },
  { weight: 2, arbitrary: anyRuleNumber.map((n) => ({ type: "ruleDeleted" as const, ruleId: ruleId(n) })) },
  {
    weight: 3,
    arbitrary: fc
      .integer({ min: 1, max: SILENCES })
      .map((n) => ({ type: "silenceDeleted" as const, silenceId: silenceId(n) })),
  },
);
const removed = removal.map((what) => changed((_, revision): Change => ({ ...account, ...what, revision })));

const silenced = (stage: Stage): fc.Arbitrary<Happening> =>
  fc
    .record({
      n: fc.integer({ min: 1, max: SILENCES }),
      select: anySelection,
      ruleIds: fc.option(fc.uniqueArray(anyRuleNumber.map(ruleId), { minLength: 1, maxLength: 2 }), {
        freq: 2,
      }),
      fromInMs: fc.constantFrom(0, 0, -60_000, 3_000),
      forMs: fc.constantFrom(3_000, 20_000, 90_000, 400_000, 1_000_000, null, null),
      schedule: seldom(anySchedule(stage)),
    })
    .map(({ n, select, ruleIds, fromInMs, forMs, schedule }) =>
      changed((nowMs, revision) => {
        const fromMs = nowMs + fromInMs;
        const untilResolved = forMs === null && schedule === null;
        const untilMs = forMs === null ? null : fromMs + forMs;
        const made = silence(n, {
          select,
          ruleIds,
          fromMs,
          untilMs,
          untilResolved,
          schedule: untilResolved ? null : schedule,
        });
        return { type: "silence", ...account, revision, silence: made };
      }),
    );

const flow = fc
  .boolean()
  .map((paused) => changed(() => ({ type: "sourceFlow", sourceId: sourceId(1), paused })));

/** Somebody takes on whatever fires on a signal, and more that does not. */
export const acknowledgements: fc.Arbitrary<Happening[]> = anySignal.map((signal) =>
  [1, 2, 3].flatMap((nth) =>
    Array.from(
      { length: RULES },
      (_, i): Happening =>
        (nowMs) => ({
          kind: "acknowledged",
          appendedAt: nowMs,
          acknowledged: {
            of: { ruleId: ruleId(i + 1), signalId: signalId(signal), nth },
            at: nowMs,
            by: "key",
            note: null,
          },
        }),
    ),
  ),
);

/** Any change but a reading. */
export const anyChange = (stage: Stage): fc.Arbitrary<Happening> =>
  fc.oneof(
    { weight: 1, arbitrary: anySignal.chain(signalAs) },
    { weight: 4, arbitrary: touched },
    { weight: 3, arbitrary: anyRuleNumber.chain((n) => ruleAs(stage, n)) },
    { weight: 2, arbitrary: renamed },
    { weight: 6, arbitrary: silenced(stage) },
    { weight: 1, arbitrary: removed },
    { weight: 1, arbitrary: flow },
  );
