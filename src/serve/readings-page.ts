import type { SignalDefinition } from "../../schemas/change.ts";
import type { SignalId } from "../../schemas/common.ts";
import type { ReadingsAnswer } from "../../schemas/reading.ts";
import { encodeCursor } from "../domain/cursor.ts";
import { shownDbm, shownQuality } from "../domain/quality.ts";
import type { RawReading, ReadingBucketRow, TimeSeries } from "../ports/time-series.ts";
import { timestamp } from "./answers.ts";
import { type ReadingsPlace, STEP_MS } from "./readings-span.ts";

/** A mean of Float32 values is off in its seventh digit: -64.7 would read -64.69999694824219. */
export const bucketShown = ({ atMs, count, min, max, mean }: ReadingBucketRow) => ({
  at: timestamp(atMs),
  count,
  min: shownDbm(min),
  max: shownDbm(max),
  mean: shownDbm(mean),
});

/** The place after a page: how many readings like its last one were given so far, earlier pages included. */
const placeAfter = (place: ReadingsPlace, page: readonly RawReading[]): ReadingsPlace => {
  const last = page.at(-1);
  if (last === undefined) return place;
  const { atMs, strength } = last;
  const given = page.filter((reading) => reading.atMs === atMs && reading.strength === strength).length;
  const before = place.fromMs === atMs && place.strength === strength ? place.skip : 0;
  return { ...place, fromMs: atMs, strength, skip: before + given };
};

const rawPage = async (
  timeSeries: TimeSeries,
  { id, floorDbm, ceilingDbm }: SignalDefinition,
  place: ReadingsPlace,
  limit: number,
): Promise<ReadingsAnswer> => {
  const { fromMs, toMs, strength: strengthAtFrom, skip } = place;
  const rows = await timeSeries.rawReadings({
    signalId: id,
    fromMs,
    toMs,
    limit: limit + 1,
    skipAtFrom: skip,
    ...(strengthAtFrom === undefined ? {} : { strengthAtFrom }),
  });
  const page = rows.slice(0, limit);
  const readings = page.map(({ atMs, strength }) => ({
    at: timestamp(atMs),
    strength: shownDbm(strength),
    quality: shownQuality(strength, floorDbm, ceilingDbm),
  }));
  return {
    step: "raw",
    readings,
    nextCursor: rows.length > limit ? encodeCursor(placeAfter(place, page)) : null,
  };
};

const bucketPage = async (
  timeSeries: TimeSeries,
  signalId: SignalId,
  place: ReadingsPlace & { step: keyof typeof STEP_MS },
  limit: number,
): Promise<ReadingsAnswer> => {
  const { step, fromMs, toMs } = place;
  const rows = await timeSeries.buckets({ signalId, fromMs, toMs, step, limit: limit + 1 });
  const page = rows.slice(0, limit);
  const buckets = page.map(bucketShown);
  const next = { ...place, fromMs: (page.at(-1)?.atMs ?? fromMs) + STEP_MS[step] };
  return { step, buckets, nextCursor: rows.length > limit ? encodeCursor(next) : null };
};

/** One page of a signal's history from a place on, raw or in buckets, oldest first. */
export const readingsPage = (
  timeSeries: TimeSeries,
  signal: SignalDefinition,
  place: ReadingsPlace,
  limit: number,
): Promise<ReadingsAnswer> =>
  place.step === "raw"
    ? rawPage(timeSeries, signal, place, limit)
    : bucketPage(timeSeries, signal.id, { ...place, step: place.step }, limit);
