import fc from "fast-check";
import { signalId } from "./partition.ts";
import type { Input, InputReading } from "./reference/input.ts";
import {
  acknowledgements,
  anyChange,
  anySignal,
  type Happening,
  ruleAs,
  signalAs,
} from "./scenario-changes.ts";
import { RULES, SIGNALS } from "./scenario-rules.ts";
import { anyStage, type Stage } from "./scenario-schedules.ts";

const FUTURE_MS = 240_000;

/** Around every limit that the scenarios' rules have. */
const strength = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(-95, -88, -82, -80.1, -80, -77, -70, -66, -60, -57, -50) },
  { weight: 1, arbitrary: fc.integer({ min: -220, max: -90 }).map((halves) => halves / 2) },
);

/** The readings' own clock beside the log's: live, or a capture of yesterday played faster or slower. */
interface Play {
  readonly lagMs: number;
  readonly speed: number;
}
const anyPlay: fc.Arbitrary<Play> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ lagMs: 0, speed: 1 }) },
  { weight: 1, arbitrary: fc.record({ lagMs: fc.constant(3_600_000), speed: fc.constantFrom(0.1, 1, 20) }) },
);
type ReadingTime = (nowMs: number, agoMs: number) => number;
const readingTime =
  ({ startMs }: Stage, { lagMs, speed }: Play): ReadingTime =>
  (nowMs, agoMs) =>
    Math.min(nowMs + FUTURE_MS, Math.round(startMs - lagMs + (nowMs - startMs) * speed) - agoMs);

/** How much later something happens. */
interface Step {
  readonly afterMs: number;
  readonly happening: Happening;
}
const afterMs = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(0, 0, 10, 400, 1_000, 1_000, 2_500, 4_000) },
  { weight: 3, arbitrary: fc.constantFrom(10_000, 60_000, -700) },
  { weight: 1, arbitrary: fc.constantFrom(600_000, 601_000, 1_800_000) },
);
const steps = (happenings: fc.Arbitrary<Happening>): fc.Arbitrary<Step[]> =>
  fc.record({ afterMs, happening: happenings }).map((step) => [step]);

const block = (time: ReadingTime): fc.Arbitrary<Step[]> =>
  steps(
    fc
      .array(fc.record({ n: anySignal, strength, agoMs: fc.constantFrom(0, 0, 0, 0, 500, 20_000, -5_000) }), {
        minLength: 1,
        maxLength: 5,
      })
      .map(
        (lines): Happening =>
          (nowMs) => ({
            kind: "readings",
            appendedAt: nowMs,
            readings: lines.map(
              (line): InputReading => [signalId(line.n), time(nowMs, line.agoMs), line.strength],
            ),
          }),
      ),
  );

/** One signal going up and down, until it flaps. */
const burst = (time: ReadingTime): fc.Arbitrary<Step[]> =>
  fc
    .record({
      n: anySignal,
      everyMs: fc.constantFrom(1_000, 3_000, 30_000, 95_000),
      count: fc.integer({ min: 4, max: 16 }),
      ends: fc.constantFrom([-95, -70], [-50, -77], [-92, -57]),
    })
    .map(({ n, everyMs, count, ends: [one = 0, other = 0] }) =>
      Array.from({ length: count }, (_, i) => ({
        afterMs: everyMs,
        happening: (nowMs: number): Input => ({
          kind: "readings",
          appendedAt: nowMs,
          readings: [[signalId(n), time(nowMs, 0), i % 2 === 0 ? one : other]],
        }),
      })),
    );

const tick: Happening = (nowMs) => ({ kind: "tick", appendedAt: nowMs });
/** Nothing but the passing of time, told about once a second. */
const gap: fc.Arbitrary<Step[]> = fc
  .record({
    everyMs: fc.constantFrom(950, 1_000, 1_050),
    seconds: fc.oneof(
      { weight: 12, arbitrary: fc.integer({ min: 1, max: 20 }) },
      { weight: 1, arbitrary: fc.constantFrom(61, 130, 620) },
    ),
  })
  .map(({ everyMs, seconds }) =>
    Array.from({ length: seconds }, () => ({ afterMs: everyMs, happening: tick })),
  );

/** After a record of its own: nobody knows of an alert that fires at the very record at which it is taken on. */
const takenOn: fc.Arbitrary<Step[]> = acknowledgements.map((happenings) =>
  [tick, ...happenings].map((happening) => ({ afterMs: 0, happening })),
);

const story = (stage: Stage, play: Play): fc.Arbitrary<Step[]> => {
  const time = readingTime(stage, play);
  const acts = fc.array(
    fc.oneof(
      { weight: 10, arbitrary: block(time) },
      { weight: 3, arbitrary: burst(time) },
      { weight: 4, arbitrary: gap },
      { weight: 6, arbitrary: steps(anyChange(stage)) },
      { weight: 1, arbitrary: takenOn },
    ),
    { minLength: 3, maxLength: 40, size: "max" },
  );
  return acts.map((parts) => parts.flat());
};

/** Some rules and every signal, before anything else. */
const beginning = (stage: Stage): fc.Arbitrary<Happening[]> =>
  fc
    .tuple(
      fc.tuple(...Array.from({ length: RULES - 1 }, (_, i) => fc.option(ruleAs(stage, i + 1), { freq: 4 }))),
      fc.tuple(...Array.from({ length: SIGNALS }, (_, i) => signalAs(i + 1))),
    )
    .map(([rules, signals]) => [...rules.filter((rule) => rule !== null), ...signals]);

const played = (startMs: number, first: readonly Happening[], later: readonly Step[]): Input[] => {
  let nowMs = startMs;
  const inputs: Input[] = [];
  for (const { afterMs: ms, happening } of [
    ...first.map((one) => ({ afterMs: 0, happening: one })),
    ...later,
  ]) {
    nowMs += ms;
    inputs.push(happening(nowMs, inputs.length + 1, inputs));
  }
  return inputs;
};

/** Records of one account in the order of their append, whatever partitions they will be spread over. */
export const alertScenario: fc.Arbitrary<Input[]> = fc
  .tuple(anyStage, anyPlay)
  .chain(([stage, play]) =>
    fc
      .tuple(beginning(stage), story(stage, play))
      .map(([first, later]) => played(stage.startMs, first, later)),
  );
