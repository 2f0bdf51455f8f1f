import { expect } from "vitest";
import { z } from "zod";
import type { SignalServiceEvent } from "../../schemas/event.ts";
import { SERIES_TABLES, type SeriesKey, type TimeSeries } from "../../src/ports/time-series.ts";
import type { Api } from "./api.ts";

const Signals = z.object({
  signals: z.array(
    z.looseObject({ id: z.string(), name: z.string(), status: z.string(), sequence: z.number() }),
  ),
});

/** What a person sees of an installation, but for how its sources run at the moment. */
export const pictureOf = async (api: Api) => {
  const { signals } = await api.expect(Signals, "GET", "/v1/signals?limit=100");
  const { rules } = await api.expect(z.object({ rules: z.array(z.unknown()) }), "GET", "/v1/alerts/rules");
  const Sources = z.object({ sources: z.array(z.looseObject({ id: z.string(), name: z.string() })) });
  const { sources } = await api.expect(Sources, "GET", "/v1/integrations/sources");
  const Rejections = z.object({ rejections: z.array(z.unknown()) });
  const rejections = await Promise.all(
    sources.map(({ id }) => api.expect(Rejections, "GET", `/v1/integrations/sources/${id}/rejections`)),
  );
  const rejected = rejections.flatMap(({ rejections: all }) => all).length;
  return { signals, rules, sources: sources.map(({ id, name }) => ({ id, name })), rejections, rejected };
};

/** Every line of every table of a time series. */
export const linesOf = async (
  { transfer }: Pick<TimeSeries, "transfer">,
  rows?: number,
): Promise<Record<string, string>> => {
  const all: Record<string, string> = {};
  for (const table of SERIES_TABLES)
    for (const stretch of await transfer.stretches(table))
      for (let after: SeriesKey | null = null, begun = false; after !== null || !begun; begun = true) {
        const piece = await transfer.read(table, stretch, after, rows);
        const name = `${table} ${stretch}`;
        all[name] = (all[name] ?? "") + Buffer.from(piece.lines).toString();
        after = piece.end;
      }
  return all;
};

/** Events of signals: no id twice, and of each signal 1, 2, 3 … */
export const expectToldOnce = (events: readonly SignalServiceEvent[]): void => {
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  const ofSignals = events.filter(({ sequence }) => sequence !== null);
  for (const told of Map.groupBy(ofSignals, ({ data }) => data.signal?.id).values())
    expect(told.map(({ sequence }) => sequence)).toEqual(told.map((_, n) => n + 1));
};
