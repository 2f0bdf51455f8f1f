import { UsageError } from "./context.ts";

const UNITS_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const AGO = /^(\d{1,7})([smhd])$/;

const isUnit = (text: string | undefined): text is keyof typeof UNITS_MS =>
  text !== undefined && text in UNITS_MS;

/** A moment as people write it: RFC 3339, a date, `now`, or how long ago (`30d`, `12h`, `90m`); throws `UsageError`. */
export const moment = (option: string, text: string, nowMs: number): string => {
  const [, count = "", unit] = AGO.exec(text) ?? [];
  if (isUnit(unit)) return new Date(nowMs - Number(count) * UNITS_MS[unit]).toISOString();
  const ms = text === "now" ? nowMs : Date.parse(text);
  if (!Number.isNaN(ms)) return new Date(ms).toISOString();
  throw new UsageError(
    `${option} is no moment: ${text}`,
    "Write it like 2026-01-31T09:30:00Z, 2026-01-31, or how long ago: 30d, 12h, 90m.",
  );
};
