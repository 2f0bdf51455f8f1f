import fc from "fast-check";
import { type Schedule, ScheduleWindow } from "../../schemas/schedule.ts";
import { START_MS } from "./partition.ts";
import { wallMs } from "./reference/wall-clock.ts";

const MINUTE_MS = 60_000;

/** Moments at which the clocks of a zone change. */
const EDGES: readonly [zone: string, time: string][] = [
  ["Europe/Berlin", "2026-03-29T01:00:00Z"],
  ["Europe/Berlin", "2026-10-25T01:00:00Z"],
  ["America/New_York", "2026-03-08T07:00:00Z"],
  ["America/New_York", "2026-11-01T06:00:00Z"],
  ["Australia/Lord_Howe", "2026-04-04T15:00:00Z"],
  ["Australia/Lord_Howe", "2026-10-03T15:30:00Z"],
];
const ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"];

/** Where and when a scenario plays: its schedules speak of the clock on that wall. */
export interface Stage {
  readonly zone: string;
  readonly startMs: number;
}

const edge = fc
  .record({ at: fc.constantFrom(...EDGES), minutesBefore: fc.integer({ min: 0, max: 90 }) })
  .map(({ at: [zone, time], minutesBefore }) => ({
    zone,
    startMs: Date.parse(time) - minutesBefore * MINUTE_MS,
  }));
const ordinary = fc.record({ zone: fc.constantFrom(...ZONES), startMs: fc.constant(START_MS) });
export const anyStage: fc.Arbitrary<Stage> = fc.oneof(edge, ordinary);

const timeOfDay = (wall: number): string => new Date(wall).toISOString().slice(11, 16);
const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] as const;

/** Minutes from the beginning at which windows begin and end: most of them soon. */
const minutes = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: -3, max: 12 }) },
  { weight: 2, arbitrary: fc.integer({ min: -60, max: 150 }) },
  { weight: 1, arbitrary: fc.integer({ min: -720, max: 720 }) },
);
const HOURS = ["00:00", "01:30", "02:00", "02:15", "02:30", "03:00", "03:30", "12:00"] as const;

const window = ({ zone, startMs }: Stage): fc.Arbitrary<ScheduleWindow> => {
  const wall = wallMs(zone, startMs);
  const time = fc.oneof(
    { weight: 3, arbitrary: minutes.map((after) => timeOfDay(wall + after * MINUTE_MS)) },
    { weight: 1, arbitrary: fc.constantFrom(...HOURS) },
  );
  const today = new Date(wall).getUTCDay();
  const days = fc
    .uniqueArray(fc.constantFrom(0, 0, 6, 1, 3), { minLength: 1, maxLength: 3 })
    .map((later) => later.map((n) => DAYS[(today + n) % 7] ?? "mon"));
  return fc
    .record(
      { days, from: time, to: fc.oneof({ weight: 9, arbitrary: time }, fc.constant("24:00")) },
      { requiredKeys: ["from", "to"] },
    )
    .map((made) => ScheduleWindow.parse(made));
};

/** A schedule that matters at about the time of the scenario. */
export const anySchedule = (stage: Stage): fc.Arbitrary<Schedule> =>
  fc.record({
    timeZone: fc.oneof({ weight: 4, arbitrary: fc.constant(stage.zone) }, fc.constantFrom(...ZONES)),
    windows: fc.array(window(stage), { minLength: 1, maxLength: 2 }),
  });
