import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { FarEnd } from "../support/far-end.ts";
import { TestIngest } from "../support/ingest.ts";
import { until } from "../support/until.ts";

const capture = new URL("../../../shared/data/ttn-v3-walk.ndjson", import.meta.url);

it.skipIf(!existsSync(capture))(
  "carries a real walk to the log at its own times, where present",
  async () => {
    const lines = readFileSync(capture, "utf8").trimEnd().split("\n");
    const ingest = await TestIngest.start();
    const far = await FarEnd.start((client) => {
      for (const line of lines) client.send(line);
    });
    const id = await ingest.create({ type: "websocket", url: far.url, mapping: { preset: "ttn-v3" } });
    await until("all accepted", async () => (await ingest.status(id))?.counters.readings === 511);
    expect((await ingest.status(id))?.counters).toMatchObject({ messages: 512, skipped: 1, rejected: 0 });
    const expected = lines.flatMap((line) => {
      const { received_at, uplink_message } = JSON.parse(line);
      return uplink_message === undefined
        ? []
        : [[Date.parse(received_at), uplink_message.rx_metadata[0].rssi]];
    });
    expect((await ingest.lines()).map(({ atMs, strength }) => [atMs, strength])).toEqual(expected);
  },
);
