import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Kafka, logLevel } from "kafkajs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Api } from "../support/api.ts";
import { temporaryDirectory } from "../support/directory.ts";
import { kafkaBrokers, newPrefix } from "../support/kafka.ts";
import { LineServer } from "../support/line-server.ts";
import { startService } from "../support/service.ts";
import { newApiKey } from "../support/service-process.ts";
import { until } from "../support/until.ts";

const WithId = z.object({ id: z.string() });
const Signals = z.object({
  signals: z.array(z.object({ id: z.string(), name: z.string(), status: z.string(), sequence: z.number() })),
});

const line = (id: string, rssi: number): string => JSON.stringify({ id, rssi });
const NAMES = Array.from({ length: 12 }, (_, n) => `s${n}`);

const signalsOf = async (api: Api) => {
  const { signals } = await api.expect(Signals, "GET", "/v1/signals?limit=50");
  return new Map(signals.map((signal) => [signal.name, signal]));
};

const brokers = await kafkaBrokers();

const deleteDirectory = (dataDirectory: string) => rm(join(dataDirectory, "log"), { recursive: true });

/** Every topic of the service, as someone does who wants to begin anew. */
const deleteTopics = async (prefix: string) => {
  const admin = new Kafka({ brokers: [...(brokers ?? [])], logLevel: logLevel.NOTHING }).admin();
  const ours = (await admin.listTopics()).filter((topic) => topic.startsWith(prefix));
  await admin.deleteTopics({ topics: ours });
  await until("the topics to be gone", async () => {
    const left = await admin.listTopics();
    return !left.some((topic) => ours.includes(topic));
  });
  await admin.disconnect();
};

interface Case {
  readonly signal: NodeJS.Signals;
  readonly environment: Readonly<Record<string, string>>;
  readonly deleteLog: (dataDirectory: string) => Promise<void>;
  /** Of the new log. */
  readonly partitions: string;
}
const topicPrefix = newPrefix();
const CASES: Readonly<Record<string, Case>> = {
  "after a clean stop": { signal: "SIGTERM", environment: {}, deleteLog: deleteDirectory, partitions: "1" },
  "after a kill -9, with more partitions": {
    signal: "SIGKILL",
    environment: {},
    deleteLog: deleteDirectory,
    partitions: "3",
  },
  ...(brokers === null
    ? {}
    : {
        "on Kafka, with fewer partitions": {
          signal: "SIGTERM",
          environment: { KAFKA_BROKERS: brokers.join(","), KAFKA_TOPIC_PREFIX: topicPrefix, PARTITIONS: "5" },
          deleteLog: () => deleteTopics(topicPrefix),
          partitions: "3",
        },
      }),
};

describe("a log that was deleted, beside its control data and time series", () => {
  it.each(Object.entries(CASES))("is followed by a new one that goes on, %s", async (_, given) => {
    const { signal, partitions, deleteLog } = given;
    const options = {
      dataDirectory: await temporaryDirectory(),
      apiKey: newApiKey(),
      environment: { DEMO: "false", ...given.environment },
    };
    const lines = [
      ...NAMES.map((name) => line(name, -60)),
      ...NAMES.map((name) => line(name, -90)),
      ...NAMES.map((name) => line(name, -60)),
      ...NAMES.map((name) => line(name, -91)),
    ];
    const server = await LineServer.start(lines);
    const first = await startService(options);
    const rule = { name: "weak", condition: { operator: "below", value: -80 } };
    await first.api.expect(WithId, "POST", "/v1/alerts/rules", rule);
    const source = {
      type: "websocket",
      name: "lines",
      url: server.url,
      defaults: { noDataAfterSeconds: null },
    };
    await first.api.expect(WithId, "POST", "/v1/integrations/sources", source);
    server.sendUpTo(24);
    await until("all to have failed", async () => {
      const statuses = [...(await signalsOf(first.api)).values()].map(({ status }) => status);
      return statuses.length === 12 && statuses.every((status) => status === "failed");
    });
    await first.api.caughtUp(60_000);
    const told = await first.api.events();
    const made = await signalsOf(first.api);
    await first.service.end(signal);
    await deleteLog(options.dataDirectory);

    const environment = { ...options.environment, PARTITIONS: partitions };
    const second = await startService({ ...options, environment });
    expect(second.service.stderr).toContain("log_succeeded");
    expect((await second.api.events()).slice(0, told.length)).toEqual(told);
    expect(await signalsOf(second.api)).toEqual(made);
    server.sendUpTo(48);
    const from = told.length;
    const after = await until("all to have recovered and failed again", async () => {
      const events = (await second.api.events()).slice(from);
      return events.filter(({ event }) => event === "signal.failed").length === 12 ? events : null;
    });
    expect(after.filter(({ event }) => event === "signal.updated")).toHaveLength(12);
    expect(after.filter(({ event }) => event === "signal.created")).toEqual([]);
    const all = [...told, ...after];
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    const bySignal = Map.groupBy(
      all.filter(({ sequence }) => sequence !== null),
      ({ data }) => ("signal" in data ? data.signal?.id : undefined),
    );
    for (const events of bySignal.values())
      expect(events.map(({ sequence }) => sequence)).toEqual(events.map((__, n) => n + 1));
    const last = told.at(-1)?.id ?? "";
    expect(
      (await second.api.events({ ...(last !== undefined && { after: last }) })).map(({ id }) => id),
    ).toEqual(after.map(({ id }) => id));
    await second.api.caughtUp(60_000);
    for (const { id } of made.values())
      expect(await second.api.storedReadings(id, "2020-01-01T00:00:00Z", "2100-01-01T00:00:00Z")).toBe(4);
  });
});
