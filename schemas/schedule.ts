import { z } from "zod";

export const Day = z.enum(["mon", "tue", "wed", "thu", "fri", "sat", "sun"]);
export type Day = z.infer<typeof Day>;

const WINDOWS_MAX = 20;

/** Whether this runtime's zone data know the name. */
const isZone = (name: string): boolean => {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
};

/** A zone of the IANA Time Zone Database by its name; an offset is none, for it knows no daylight-saving time. */
export const TimeZone = z
  .string()
  .max(64)
  .regex(/^[A-Za-z]/, "must be the name of an IANA time zone, such as Europe/Berlin")
  .refine(isZone, "is not an IANA time zone that is known here; one is named like Europe/Berlin");

const TimeOfDay = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, "must be a time of day like 08:30");

/** Hours of some days, by the clock on the wall; `to` at or before `from` is on the next day. */
export const ScheduleWindow = z.strictObject({
  days: z
    .array(Day)
    .min(1)
    .max(7)
    .refine((days) => new Set(days).size === days.length, "names a day twice")
    .optional()
    .describe("The days on which it begins. Default: every day."),
  from: TimeOfDay.describe("The first moment, by the zone's clock."),
  to: z
    .union([TimeOfDay, z.literal("24:00")])
    .describe("The moment after the last one; at or before `from`: on the next day."),
});
export type ScheduleWindow = z.infer<typeof ScheduleWindow>;

/** When something holds, week after week. */
export const Schedule = z.strictObject({
  timeZone: TimeZone.describe("IANA name; daylight-saving changes are those of the zone."),
  windows: z.array(ScheduleWindow).min(1).max(WINDOWS_MAX),
});
export type Schedule = z.infer<typeof Schedule>;
