import type { SignalDefinition } from "../../schemas/change.ts";
import type { SignalId } from "../../schemas/common.ts";
import type { ReadingsAnswer } from "../../schemas/reading.ts";
import { encodeCursor } from "../domain/cursor.ts";
import { qualityOf } from "../domain/quality.ts";
import type { RawReading, TimeSeries } from "../ports/time-series.ts";
import { timestamp } from "./answers.ts";
import { type ReadingsPlace, STEP_MS } from "./readings-span.ts";

/** The place after a page: how many readings of its last time were given so far, earlier pages included. */
const placeAfter = (place: ReadingsPlace, page: readonly RawReading[]): ReadingsPlace => {
  const fromMs = page.at(-1)?.atMs ?? place.fromMs;
  const given = page.filter(({ atMs }) => atMs === fromMs).length;
  return { ...place, fromMs, skip: fromMs === place.fromMs ? place.skip + given : given };
};

const rawPage = async (
  timeSeries: TimeSeries,
  { id, floorDbm, ceilingDbm }: SignalDefinition,
  place: ReadingsPlace,
  limit: number,
): Promise<ReadingsAnswer> => {
  const { fromMs, toMs, skip } = place;
  const rows = await timeSeries.rawReadings({
    signalId: id,
    fromMs,
    toMs,
    limit: limit + 1,
    skipAtFrom: skip,
  });
  const page = rows.slice(0, limit);
  const readings = page.map(({ atMs, strength }) => ({
    at: timestamp(atMs),
    strength,
    quality: qualityOf(strength, floorDbm, ceilingDbm),
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
  const buckets = page.map(({ atMs, ...values }) => ({ at: timestamp(atMs), ...values }));
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
