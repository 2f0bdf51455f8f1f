import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { systemClock, systemEntropy } from "../../src/adapters/system/clock.ts";
import { isBlock } from "../../src/domain/log-record.ts";
import { startIngest } from "../../src/ingest/ingest.ts";
import { INGEST_DEFAULTS } from "../../src/ingest/settings.ts";
import { HttpFarEnd } from "../support/http-far-end.ts";
import { linesOf, recordsOf } from "../support/ingest.ts";
import { madeWalk } from "../support/lorawan.ts";
import { sharedServe } from "../support/serve.ts";
import { until } from "../support/until.ts";
import { walkLines } from "../support/walk.ts";

const shared = sharedServe();
const SOURCES = "/v1/integrations/sources";
const LINES = { "content-type": "application/x-ndjson" };
const PAGE = 200;

const Uplink = z.object({
  end_device_ids: z.object({ device_id: z.string() }),
  received_at: z.string(),
  uplink_message: z
    .object({
      rx_metadata: z.array(z.object({ gateway_ids: z.object({ gateway_id: z.string() }), rssi: z.number() })),
    })
    .optional(),
});
const uplinkOf = (line: string) => Uplink.parse(JSON.parse(line));

type Told = [name: string, atMs: number, strength: number];
const inOrder = (told: readonly Told[]): Told[] =>
  told.toSorted(([a, aMs], [b, bMs]) => aMs - bMs || (a < b ? -1 : 1));

/** Worked out from the messages themselves. */
const readingsIn = (lines: readonly string[]): Told[] =>
  inOrder(
    lines
      .map(uplinkOf)
      .flatMap(({ end_device_ids, received_at, uplink_message }) =>
        (uplink_message?.rx_metadata ?? []).map(
          ({ gateway_ids, rssi }): Told => [
            `${end_device_ids.device_id}/${gateway_ids.gateway_id}`,
            Date.parse(received_at),
            rssi,
          ],
        ),
      ),
  );

/** The same messages under names of their own. */
const mappingFor = (way: string) => ({
  each: "$.uplink_message.rx_metadata[*]",
  signal: `${way}/{$$.end_device_ids.device_id}/{$.gateway_ids.gateway_id}`,
  strength: "$.rssi",
  at: "$$.received_at",
});
const create = async (way: string, settings: object): Promise<string> => {
  const body = { name: way, mapping: mappingFor(way), ...settings };
  return (await shared.serve.api.expect(z.looseObject({ id: z.string() }), "POST", SOURCES, body)).id;
};
const statusOf = (id: string) =>
  shared.serve.api.expect(
    z.looseObject({ counters: z.looseObject({ readings: z.number() }) }),
    "GET",
    `${SOURCES}/${id}`,
  );

/** What the log holds under the names of a way. */
const logged = async (way: string): Promise<Told[]> => {
  const { control, accountId, log } = shared.engines;
  const { items } = await control.signals.list(accountId, {
    limit: 500,
    labels: {},
    sort: "name",
    q: `${way}/`,
  });
  const nameOf = new Map(items.map(({ definition }) => [String(definition.id), definition.externalId ?? ""]));
  const lines = (await recordsOf(log, "readings")).filter(isBlock).flatMap(linesOf);
  return inOrder(
    lines.flatMap(({ signalId, atMs, strength }): Told[] => {
      const name = nameOf.get(signalId);
      return name === undefined ? [] : [[name.slice(way.length + 1), atMs, strength]];
    }),
  );
};

const streamed = async (way: string, lines: readonly string[]) => {
  const far = await HttpFarEnd.start((response) => {
    response.writeHead(200, LINES).write(`${lines.join("\n")}\n`);
  });
  return create(way, { type: "http-stream", url: far.url });
};

/** Each page says by its last message where the next one begins. */
const polled = async (way: string, lines: readonly string[]) => {
  const far = await HttpFarEnd.start((response, { url }) => {
    const after = url.searchParams.get("after") ?? "";
    const page = lines.filter((line) => uplinkOf(line).received_at > after).slice(0, PAGE);
    response.writeHead(200, LINES).end(page.join("\n"));
  });
  const cursor = { path: "$.received_at", parameter: "after" };
  return create(way, { type: "http-poll", url: far.url, intervalSeconds: 1, cursor });
};

const pushed = async (way: string, lines: readonly string[]) => {
  const id = await create(way, { type: "push" });
  for (let from = 0; from < lines.length; from += PAGE) {
    const response = await fetch(`${shared.serve.url}${SOURCES}/${id}/push`, {
      method: "POST",
      headers: { ...shared.serve.api.authorization, ...LINES },
      body: lines.slice(from, from + PAGE).join("\n"),
    });
    expect(response.status).toBe(202);
  }
  return id;
};

const made = madeWalk(250).map((message) => JSON.stringify(message));
const recorded = walkLines() ?? [];

describe.each([
  { walk: "a made walk", prefix: "made", lines: made },
  { walk: "a recorded walk, where present,", prefix: "recorded", lines: recorded },
])("$walk", ({ prefix, lines }) => {
  test.skipIf(lines.length === 0)("gives the same readings, streamed, polled and pushed", async () => {
    const { log, control, telemetry } = shared.engines;
    const machine = { clock: systemClock, entropy: systemEntropy };
    const ingest = await startIngest({ log, control, telemetry, ...machine, settings: INGEST_DEFAULTS });
    onTestFinished(() => ingest.stop());
    const readings = readingsIn(lines);
    expect(readings.length).toBeGreaterThan(250);
    for (const [way, bring] of Object.entries({ streamed, polled, pushed })) {
      const id = await bring(`${prefix}-${way}`, lines);
      await until(`all ${way}`, async () => (await statusOf(id)).counters.readings === readings.length);
      expect(await statusOf(id)).toMatchObject({
        counters: { messages: lines.length, skipped: 1, rejected: 0 },
      });
      expect(await logged(`${prefix}-${way}`)).toEqual(readings);
    }
  });
});
