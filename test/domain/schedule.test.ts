import { describe, expect, test } from "vitest";
import { Schedule } from "../../schemas/schedule.ts";
import { CompiledSchedule } from "../../src/domain/schedule.ts";

const compiled = (timeZone: string, ...windows: object[]): CompiledSchedule =>
  new CompiledSchedule(Schedule.parse({ timeZone, windows }));
const at = (text: string): number => Date.parse(text);

describe("a schedule", () => {
  const table: [string, CompiledSchedule, [string, boolean][]][] = [
    [
      "takes the first moment in and leaves the last one out",
      compiled("Europe/Berlin", { from: "08:00", to: "18:00" }),
      [
        ["2026-01-15T06:59:59.999Z", false],
        ["2026-01-15T07:00:00Z", true],
        ["2026-01-15T16:59:59.999Z", true],
        ["2026-01-15T17:00:00Z", false],
        ["2026-07-15T06:00:00Z", true],
        ["2026-07-15T05:59:59Z", false],
      ],
    ],
    [
      "goes over midnight, on the days on which it begins",
      compiled("Europe/Berlin", { days: ["fri"], from: "22:00", to: "06:00" }),
      [
        ["2026-01-16T20:59:00Z", false],
        ["2026-01-16T21:00:00Z", true],
        ["2026-01-17T04:59:00Z", true],
        ["2026-01-17T05:00:00Z", false],
        ["2026-01-17T21:00:00Z", false],
      ],
    ],
    [
      "lasts the whole day until 24:00",
      compiled("America/New_York", { days: ["sun"], from: "00:00", to: "24:00" }),
      [
        ["2026-11-01T03:59:59Z", false],
        ["2026-11-01T04:00:00Z", true],
        // The day on which clocks are set back has 25 hours.
        ["2026-11-02T04:59:59Z", true],
        ["2026-11-02T05:00:00Z", false],
      ],
    ],
    [
      "begins after the leap where the clock leaps over its beginning",
      compiled("Europe/Berlin", { from: "02:30", to: "04:00" }),
      [
        ["2026-03-29T00:59:59.999Z", false],
        ["2026-03-29T01:00:00Z", true],
        ["2026-03-29T02:00:00Z", false],
      ],
    ],
    [
      "takes the first of two where the clock shows a time twice",
      compiled("Europe/Berlin", { from: "02:15", to: "02:45" }),
      [
        ["2026-10-25T00:14:59Z", false],
        ["2026-10-25T00:15:00Z", true],
        ["2026-10-25T00:45:00Z", false],
        ["2026-10-25T01:15:00Z", false],
      ],
    ],
    [
      "knows zones that change by half an hour",
      compiled("Australia/Lord_Howe", { from: "02:00", to: "03:00" }),
      [
        // 4 October: from 02:00 the clock leaps to 02:30.
        ["2026-10-03T15:29:59Z", false],
        ["2026-10-03T15:30:00Z", true],
        ["2026-10-03T15:59:59Z", true],
        ["2026-10-03T16:00:00Z", false],
      ],
    ],
  ];

  test.each(table)("%s", (_, schedule, moments) => {
    for (const [moment, open] of moments)
      expect([moment, schedule.isOpen(at(moment))]).toEqual([moment, open]);
  });

  test("names the moment at which it opens or closes next", () => {
    const schedule = compiled("Europe/Berlin", { days: ["mon"], from: "08:00", to: "09:00" });
    const tuesday = at("2026-03-24T12:00:00Z");
    const opens = schedule.nextChange(tuesday);
    expect(new Date(opens).toISOString()).toBe("2026-03-30T06:00:00.000Z");
    expect(schedule.nextChange(opens)).toBe(opens + 3_600_000);
  });

  test.each(["Mars/Olympus", "+02:00", "UTC+1", "", "Europe/../Berlin"])(
    "refuses the zone %j",
    (timeZone) => {
      const schedule = { timeZone, windows: [{ from: "08:00", to: "09:00" }] };
      expect(Schedule.safeParse(schedule).error?.issues[0]?.path).toEqual(["timeZone"]);
    },
  );
});
