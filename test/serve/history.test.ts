import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { SignalId } from "../../schemas/common.ts";
import { EventsAnswer } from "../../schemas/event.ts";
import { ReadingsAnswer } from "../../schemas/reading.ts";
import { Signal } from "../../schemas/signal.ts";
import { encodeLive } from "../../src/domain/live.ts";
import { readingLine } from "../../src/domain/reading-line.ts";
import { eventSteps } from "../support/events.ts";
import { readingsIn } from "../support/readings.ts";
import { bytes, signalId } from "../support/rows.ts";
import { sharedServe, startTestServe } from "../support/serve.ts";
import { until } from "../support/until.ts";

const START = Date.UTC(2026, 0, 31, 9);
const MINUTE = 60_000;

const shared = sharedServe();

const Created = z.object({ signals: z.tuple([Signal]) });
const createSignal = async (): Promise<SignalId> =>
  (await shared.serve.api.expect(Created, "POST", "/v1/signals", { name: "s", threshold: 0.5 })).signals[0]
    .id;

const RawAnswer = z.object({
  readings: z.array(z.object({ strength: z.number() })),
  nextCursor: z.string().nullable(),
});
/** Every page of a signal's readings. */
const pages = async (id: string, query: string): Promise<ReadingsAnswer[]> => {
  const got: ReadingsAnswer[] = [];
  let cursor: string | null = null;
  do {
    const more: string = cursor === null ? "" : `&cursor=${cursor}`;
    const page: ReadingsAnswer = await shared.serve.api.expect(
      ReadingsAnswer,
      "GET",
      `/v1/signals/${id}/readings?${query}${more}`,
    );
    got.push(page);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return got;
};
const time = (ms: number) => encodeURIComponent(new Date(ms).toISOString());

describe("the history of a signal", () => {
  test("in raw pages has every reading once, also where many share one time", async () => {
    const id = await createSignal();
    const readings = Array.from({ length: 23 }, (_, i) => [START + Math.floor(i / 7), -40 - i] as const);
    const body = bytes(readings.map(([at, strength]) => readingLine(id, at, strength)).join(""));
    await shared.engines.timeSeries.insertReadings("raw-pages", readingsIn([body]));
    const span = `step=raw&from=${time(START)}&to=${time(START + MINUTE)}`;
    for (const limit of [1, 3, 7, 23, 500]) {
      const got = (await pages(id, `${span}&limit=${limit}`)).flatMap((page) =>
        page.step === "raw" ? page.readings : [],
      );
      expect(got.map(({ strength }) => strength).sort((a, b) => b - a)).toEqual(
        readings.map(([, strength]) => strength),
      );
      expect(got.map(({ at }) => at)).toEqual(got.map(({ at }) => at).sort());
    }
    const [first] = await pages(id, `${span}&limit=1`);
    expect(first).toMatchObject({
      readings: [{ at: "2026-01-31T09:00:00.000Z", quality: expect.any(Number) }],
    });
  });

  test("in buckets counts every reading once, page by page, by the step the span asks for", async () => {
    const id = await createSignal();
    const lines = Array.from({ length: 240 }, (_, i) => readingLine(id, START + i * MINUTE, -50 - (i % 10)));
    await shared.engines.timeSeries.insertReadings("bucket-pages", readingsIn([bytes(lines.join(""))]));
    for (const [hours, step, query] of [
      [4, "1m", "limit=50"],
      [24, "5m", "limit=7"],
      [24, "1h", "limit=1&step=1h"],
      [24 * 40, "1d", "limit=50"],
    ] as const) {
      const span = `from=${time(START)}&to=${time(START + hours * 60 * MINUTE)}`;
      const got = await pages(id, `${span}&${query}`);
      expect(got.every((page) => page.step === step)).toBe(true);
      const buckets = got.flatMap((page) => (page.step === "raw" ? [] : page.buckets));
      expect(buckets.reduce((sum, { count }) => sum + count, 0)).toBe(240);
      expect(new Set(buckets.map(({ at }) => at)).size).toBe(buckets.length);
    }
  });

  test("goes on from its cursor whatever comes in meanwhile", async () => {
    const id = await createSignal();
    const insert = (token: string, ...strengths: number[]) => {
      const lines = strengths.map((strength) => readingLine(id, START, strength));
      return shared.engines.timeSeries.insertReadings(token, readingsIn([bytes(lines.join(""))]));
    };
    await insert("cursor 1", -70, -60, -60, -50);
    const query = `step=raw&from=${time(START)}&to=${time(START + 1)}&limit=2`;
    const page = (more: string) =>
      shared.serve.api.expect(RawAnswer, "GET", `/v1/signals/${id}/readings?${query}${more}`);
    const first = await page("");
    expect(first.readings.map(({ strength }) => strength)).toEqual([-70, -60]);
    await insert("cursor 2", -80, -60, -55);
    const strengths: number[] = [];
    for (let cursor = first.nextCursor; cursor !== null; ) {
      const next = await page(`&cursor=${cursor}`);
      strengths.push(...next.readings.map(({ strength }) => strength));
      cursor = next.nextCursor;
    }
    expect(strengths).toEqual([-60, -60, -55, -50]);
  });

  test("shows the digits that were sent, in every mean and quality, and spans of any length", async () => {
    const id = await createSignal();
    const lines = [0, 1, 2].map((i) => readingLine(id, START + i, -64.7));
    await shared.engines.timeSeries.insertReadings("digits", readingsIn([bytes(lines.join(""))]));
    const ever = "from=0001-01-01T00:00:00Z&to=9999-12-31T23:59:59Z";
    expect(await pages(id, `${ever}&step=raw&limit=1`)).toHaveLength(3);
    const [raw] = await pages(id, `${ever}&step=raw`);
    expect(raw).toMatchObject({ readings: Array(3).fill({ strength: -64.7, quality: 0.706 }) });
    const [days] = await pages(id, ever);
    const bucket = { at: "2026-01-31T00:00:00.000Z", count: 3, min: -64.7, max: -64.7, mean: -64.7 };
    expect(days).toEqual({ step: "1d", buckets: [bucket], nextCursor: null });
    expect(await pages(id, "from=9998-01-01T00:00:00Z&to=9999-01-01T00:00:00Z&step=raw")).toEqual([
      { step: "raw", readings: [], nextCursor: null },
    ]);
  });

  test("is asked for with a good cursor and a span, and only of a signal there is", async () => {
    const id = await createSignal();
    const bad = await shared.serve.api.call("GET", `/v1/signals/${id}/readings?cursor=xyz`);
    expect(bad).toMatchObject({ status: 400, body: { errors: [{ path: "cursor" }] } });
    const turned = `from=${time(START)}&to=${time(START - 1)}`;
    expect(await shared.serve.api.call("GET", `/v1/signals/${id}/readings?${turned}`)).toMatchObject({
      status: 400,
      body: { errors: [{ path: "from" }] },
    });
    expect((await shared.serve.api.call("GET", `/v1/signals/${signalId(5)}/readings`)).status).toBe(404);
  });
});

test("a signal shows its newest reading beside control data", async () => {
  const id = await createSignal();
  const update = {
    signalId: id,
    accountId: shared.engines.accountId,
    atMs: START,
    status: "active" as const,
  };
  await shared.engines.log.append("live", [{ value: encodeLive([{ ...update, strength: -75 }]) }]);
  const signal = await until("the reading", async () => {
    const answer = await shared.serve.api.expect(Signal, "GET", `/v1/signals/${id}`);
    return answer.strength === null ? null : answer;
  });
  expect(signal).toMatchObject({ strength: -75, quality: 0.5, lastReadingAt: "2026-01-31T09:00:00.000Z" });
});

describe("the list of events", () => {
  test("is complete and in order, page by page and after an event, with every filter", async () => {
    const steps = eventSteps(shared.engines);
    const [stored, kept] = [
      [steps.next(1, "signal.created"), steps.next(2, "signal.created"), steps.next(1, "signal.failed")],
      [steps.next(1), steps.next(2, "signal.failed"), steps.next(2)],
    ] as const;
    await steps.append(stored);
    await steps.record();
    const restarted = await startTestServe(shared.engines);
    await steps.append(kept);
    const events = [...stored, ...kept].map(({ event }) => event);
    const ids = events.map(({ id }) => id);
    const list = async (query: string) =>
      (await restarted.api.expect(EventsAnswer, "GET", `/v1/events?${query}`)).events.map(({ id }) => id);

    await until("all events", async () => (await list("")).length === ids.length);
    expect(await restarted.api.events()).toEqual(events);
    expect((await restarted.api.events({ event: "signal.created" })).length).toBe(2);
    for (const [i, id] of ids.entries()) expect(await list(`after=${id}`)).toEqual(ids.slice(i + 1));
    expect(await list(`signalId=${signalId(1)}`)).toEqual([ids[0], ids[2], ids[3]]);
    expect(await list("event=signal.failed&event=signal.created")).toHaveLength(4);
    expect(await list(`from=${events[3]?.createdAt}&to=${events[5]?.createdAt}`)).toEqual(ids.slice(3, 5));
    await restarted.stop();
  });

  test("says that it does not know an event to begin after", async () => {
    const answer = await shared.serve.api.call("GET", "/v1/events?after=evt_01JDA2V3Q8R5T7W9Y199999999");
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ path: "after" }] } });
  });
});
