import { expect, it } from "vitest";
import type { Api } from "../support/api.ts";
import { readTimes, type WhatIsKept } from "../support/kept.ts";
import { framesOf, killAgainAndAgain, premade, type Survived } from "../support/killed-service.ts";
import { until } from "../support/until.ts";

const expectCountsAgree = ({ counts: { counted, raw, minute, hour }, sent }: Survived) => {
  expect({ minute, hour }).toEqual({ minute: raw, hour: raw });
  // What was counted in the second before a kill may be forgotten, not what was stored.
  expect(counted).toBeGreaterThan(0);
  expect(raw).toBeGreaterThanOrEqual(counted);
  expect(raw).toBeLessThanOrEqual(sent);
};

const expectToldOnce = ({ events }: WhatIsKept) => {
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  const sequences = Map.groupBy(events, ({ data }) => data.signal?.id);
  for (const [, ofSignal] of sequences) {
    expect(ofSignal.map(({ sequence }) => sequence)).toEqual(ofSignal.map((_, i) => i + 1));
  }
};

const expectExact = (survived: Survived) => {
  const { counts, events, trimmed, accepted, replayed } = survived;
  expect(trimmed).toBe(0);
  expect(counts.raw).toBe(accepted);
  expectCountsAgree(survived);
  expectToldOnce(survived);
  // An undisturbed fold over the same log tells the very same story, ids included.
  expect(new Set(events.map(({ id }) => id))).toEqual(new Set(replayed.map(({ id }) => id)));
};

const now = premade(
  4_000,
  framesOf(() => null),
);
const untrimmed = { kills: 5, readingsPerSecond: 60_000, environment: { LOG_TRIM: "false" } };

it("keeps every accepted reading once and tells every event once over five kills at random", async () => {
  expectExact(await killAgainAndAgain({ ...untrimmed, frame: now }));
});

it("does the same with readings spread over 200 months", async () => {
  const from = Date.UTC(2008, 0, 1);
  const month = 30.4 * 86_400_000;
  const at = (reading: number) => Math.floor(from + ((reading * 7919) % 200) * month + reading);
  expectExact(await killAgainAndAgain({ ...untrimmed, frame: premade(4_000, framesOf(at)) }));
});

const SIGNALS = 250;
/** Readings whose times are a millisecond apart, each signal's one in SIGNALS: what is missing or doubled shows. */
const expectNoHoles = (times: readonly number[][], holesMax: number) => {
  for (const ofSignal of times) {
    const steps = ofSignal.slice(1).map((at, i) => at - (ofSignal[i] ?? 0));
    expect(Math.min(...steps)).toBe(SIGNALS);
    expect(steps.filter((step) => step !== SIGNALS).length).toBeLessThanOrEqual(holesMax);
  }
};

const trimmed = (api: Api) =>
  until("the log to be trimmed", async () => {
    const { body } = await api.call("GET", "/metrics");
    return /^log_trimmed_before\{topic="readings",.*\} [1-9]/m.test(String(body));
  });

it("does the same while the log is trimmed again and again behind all who read it", async () => {
  // Full after some two seconds, then trimmed to its end: kills fall before, amid and after that.
  const environment = { LOG_TRIM: "true", LOG_MAX_BYTES: String(4 * 1024 ** 2) };
  const hourAgo = Date.now() - 3_600_000;
  const frame = framesOf((reading) => hourAgo + reading, SIGNALS);
  const survived = await killAgainAndAgain({
    kills: 4,
    readingsPerSecond: 30_000,
    environment,
    frame,
    atLast: trimmed,
  });
  expect(survived.trimmed).toBeGreaterThan(0);
  expectCountsAgree(survived);
  expectToldOnce(survived);
  const times = await readTimes(survived.dataDirectory, survived);
  expect(times.reduce((sum, { length }) => sum + length, 0)).toBe(survived.counts.raw);
  // What was sent and not yet accepted goes with its connection; within one nothing may be missing.
  expectNoHoles(times, survived.connections - 1);
});
