import type { Schedule, ScheduleWindow } from "../../../schemas/schedule.ts";
import { firstMoment, wallMs } from "./wall-clock.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] as const;

const sinceMidnightMs = (timeOfDay: string): number => {
  const [hours = 0, minutes = 0] = timeOfDay.split(":").map(Number);
  return (hours * 60 + minutes) * MINUTE_MS;
};

/** The first moment of a window and the one after its last, if it begins on the day, given as its midnight on the wall. */
const spanOf = (window: ScheduleWindow, zone: string, midnight: number): [number, number] | null => {
  const day = DAYS[new Date(midnight).getUTCDay()];
  if (window.days !== undefined && (day === undefined || !window.days.includes(day))) return null;
  const [from, to] = [sinceMidnightMs(window.from), sinceMidnightMs(window.to)];
  const ends = midnight + (to <= from ? to + DAY_MS : to);
  return [firstMoment(zone, midnight + from), firstMoment(zone, ends)];
};

/** Every span of time that may touch the two times, in Unix ms, or lie between them. */
const spansAround = ({ timeZone, windows }: Schedule, fromMs: number, toMs: number): [number, number][] => {
  const today = (timeMs: number): number => Math.floor(wallMs(timeZone, timeMs) / DAY_MS) * DAY_MS;
  const days: number[] = [];
  for (let day = today(fromMs) - 2 * DAY_MS; day <= today(toMs) + DAY_MS; day += DAY_MS) days.push(day);
  return windows.flatMap((window) =>
    days.map((day) => spanOf(window, timeZone, day)).filter((span) => span !== null),
  );
};

/** Whether the schedule is open at a time in Unix ms. A rule or silence without one is open always. */
export const isOpen = (schedule: Schedule | null, timeMs: number): boolean =>
  schedule === null ||
  spansAround(schedule, timeMs, timeMs).some(([begins, ends]) => begins <= timeMs && timeMs < ends);

/** Whether it is open at the first time, or opens after it and not after the second. */
export const opensWithin = (schedule: Schedule | null, fromMs: number, toMs: number): boolean =>
  schedule === null ||
  isOpen(schedule, fromMs) ||
  spansAround(schedule, fromMs, toMs).some(
    ([begins, ends]) => begins < ends && fromMs < begins && begins <= toMs,
  );
