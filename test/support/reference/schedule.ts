import type { Schedule, ScheduleWindow } from "../../../schemas/schedule.ts";
import { firstMoment, wallMs } from "./wall-clock.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] as const;

const sinceMidnightMs = (timeOfDay: string): number => {
  const [hours = 0, minutes = 0] = timeOfDay.split(":").map(Number);
  return (hours * 60 + minutes) * MINUTE_MS;
};

/** Whether the window that begins on the day, given as its midnight on the wall, holds the time. */
const holds = (window: ScheduleWindow, zone: string, midnight: number, timeMs: number): boolean => {
  const day = DAYS[new Date(midnight).getUTCDay()];
  if (window.days !== undefined && (day === undefined || !window.days.includes(day))) return false;
  const [from, to] = [sinceMidnightMs(window.from), sinceMidnightMs(window.to)];
  const begins = firstMoment(zone, midnight + from);
  const ends = firstMoment(zone, midnight + (to <= from ? to + DAY_MS : to));
  return begins <= timeMs && timeMs < ends;
};

/** Whether the schedule is open at a time in Unix ms. A rule or silence without one is open always. */
export const isOpen = (schedule: Schedule | null, timeMs: number): boolean => {
  if (schedule === null) return true;
  const zone = schedule.timeZone;
  const today = Math.floor(wallMs(zone, timeMs) / DAY_MS) * DAY_MS;
  return schedule.windows.some((window) =>
    [-2, -1, 0, 1].some((days) => holds(window, zone, today + days * DAY_MS, timeMs)),
  );
};
