import { Temporal } from "temporal-polyfill";
import { Day, type Schedule, type ScheduleWindow } from "../../schemas/schedule.ts";

const DAY_MS = 86_400_000;
/** Readings come from a few days at a time. */
const DAYS_KEPT = 64;
/** A window recurs within a week; with the two days beside it, whatever clocks do. */
const DAYS_AHEAD = 9;
const DAYS = Day.options;
const MIDNIGHT = "24:00";

/** Unix ms, `[from, to)`. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * The instant at which the zone's clock shows a time: the first of two, and of a time that the clock leaps over, the
 * first instant after the leap.
 */
const instantOf = (date: Temporal.PlainDate, time: string, timeZone: string): number => {
  const local =
    time === MIDNIGHT
      ? date.add({ days: 1 }).toPlainDateTime()
      : date.toPlainDateTime(Temporal.PlainTime.from(time));
  const shown = local.toZonedDateTime(timeZone, { disambiguation: "compatible" });
  if (shown.toPlainDateTime().equals(local)) return shown.epochMilliseconds;
  // The one before a moment is earlier than it: the leap may be that very moment.
  const leap = shown.add({ milliseconds: 1 }).getTimeZoneTransition("previous");
  return leap?.epochMilliseconds ?? shown.epochMilliseconds;
};

const spansOn = (date: Temporal.PlainDate, windows: readonly ScheduleWindow[], timeZone: string): Span[] =>
  windows
    .filter(({ days }) => days === undefined || days.includes(DAYS[date.dayOfWeek - 1] ?? "mon"))
    .map(({ from, to }) => ({
      from: instantOf(date, from, timeZone),
      to: instantOf(to > from ? date : date.add({ days: 1 }), to, timeZone),
    }))
    .filter((span) => span.from < span.to);

/**
 * A schedule made ready for asking. Zones and their daylight-saving changes are those of the runtime's copy of the IANA
 * Time Zone Database: two copies may differ about the future of a zone.
 */
export class CompiledSchedule {
  readonly #schedule: Schedule;
  readonly #days = new Map<number, readonly Span[]>();

  constructor(schedule: Schedule) {
    this.#schedule = schedule;
  }

  /** Whether a moment, Unix ms, lies in one of the windows. */
  isOpen(ms: number): boolean {
    return this.#spansOf(Math.floor(ms / DAY_MS)).some(({ from, to }) => from <= ms && ms < to);
  }

  /** The next moment at which it may open or close, later than `ms`; infinity if it never does. */
  nextChange(ms: number): number {
    const first = Math.floor(ms / DAY_MS);
    for (let day = first; day < first + DAYS_AHEAD; day++) {
      const edges = this.#spansOf(day)
        .flatMap(({ from, to }) => [from, to])
        .filter((edge) => edge > ms);
      if (edges.length > 0) return Math.min(...edges);
    }
    return Number.POSITIVE_INFINITY;
  }

  /** What touches a day of UTC: windows that begin on the dates around it, by the zone's calendar. */
  #spansOf(day: number): readonly Span[] {
    const known = this.#days.get(day);
    if (known !== undefined) return known;
    if (this.#days.size >= DAYS_KEPT) this.#days.clear();
    const { timeZone, windows } = this.#schedule;
    const noon = Temporal.Instant.fromEpochMilliseconds(day * DAY_MS + DAY_MS / 2);
    const date = noon.toZonedDateTimeISO(timeZone).toPlainDate();
    const spans = [-2, -1, 0, 1]
      .flatMap((days) => spansOn(date.add({ days }), windows, timeZone))
      .filter(({ from, to }) => from < (day + 1) * DAY_MS && to > day * DAY_MS);
    this.#days.set(day, spans);
    return spans;
  }
}
