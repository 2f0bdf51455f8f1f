import offsets from "./zone-offsets.json" with { type: "json" };

const MINUTE_MS = 60_000;
const HOURS_AROUND = 15;

/**
 * By how much the zone's clock is ahead of UTC. From a table that Python's zoneinfo made (`zone_offsets.py`), not from
 * Intl or a library on top of it: the service asks those, and both would be wrong in the same way.
 */
export const offsetMs = (zone: string, timeMs: number): number => {
  const table: Record<string, number[][]> = offsets;
  const since = (table[zone] ?? []).filter(([from = 0]) => from <= timeMs);
  const [, minutes] = since.at(-1) ?? [];
  if (minutes === undefined) throw new Error(`not in zone-offsets.json: ${zone} at ${timeMs}`);
  return minutes * MINUTE_MS;
};

/** What the clock on the wall shows, as if it stood in UTC: `new Date(wallMs)` read in UTC is what one sees. */
export const wallMs = (zone: string, timeMs: number): number => timeMs + offsetMs(zone, timeMs);

const found = new Map<string, number>();

/**
 * The first moment at which the clock on the wall shows `wall` or later. So a time that does not exist is the end of
 * the gap, and of two the first one. Looked for minute by minute, as clocks change at whole minutes.
 */
export const firstMoment = (zone: string, wall: number): number => {
  const key = `${zone} ${wall}`;
  const known = found.get(key);
  if (known !== undefined) return known;
  let timeMs = wall - HOURS_AROUND * 60 * MINUTE_MS;
  while (wallMs(zone, timeMs) < wall) timeMs += MINUTE_MS;
  found.set(key, timeMs);
  return timeMs;
};
