import { once } from "node:events";
import { isDeepStrictEqual } from "node:util";
import { Kafka, logLevel, Partitioners } from "kafkajs";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { WebSocketServer } from "ws";
import { z } from "zod";
import type { Api } from "../support/api.ts";
import { allRecords } from "../support/engines.ts";
import { Fleet } from "../support/fleet.ts";
import { Groups } from "../support/groups.ts";
import { openTestKafkaLog } from "../support/kafka.ts";
import { portOf } from "../support/port.ts";
import { startStack } from "../support/stack.ts";
import { until } from "../support/until.ts";

const EACH = 2;
const PARTITIONS = 4;
const SOURCES = 6;
/** What the design promises. */
const EVERYWHERE_MAX_MS = 2_000;
const MOVED_MAX_MS = 15_000;
const WithId = z.object({ id: z.string() });
const Pushed = z.looseObject({ counters: z.looseObject({}) });
const Created = z.object({ signals: z.tuple([WithId]) });
const Signals = z.object({
  signals: z.array(z.object({ id: z.string(), status: z.string(), name: z.string() })),
});

const stack = await startStack();
if ("missing" in stack && process.env.CI) throw new Error(`Kafka is missing: ${stack.missing}`);
let fleet: Fleet | null = null;
beforeAll(async () => {
  if (!("missing" in stack)) fleet = await Fleet.start(stack, EACH, { PARTITIONS: String(PARTITIONS) });
});
afterAll(async () => {
  await fleet?.remove();
  if (!("missing" in stack)) await stack.remove();
});

/** Senders of one strength, and whether somebody listens. */
class Senders {
  readonly #servers: WebSocketServer[];
  readonly #timer: NodeJS.Timeout;

  private constructor(servers: WebSocketServer[]) {
    this.#servers = servers;
    this.#timer = setInterval(() => {
      for (const [index, server] of this.#servers.entries())
        for (const client of server.clients)
          client.send(JSON.stringify({ id: `sender-${index}`, rssi: -42 }));
    }, 20);
  }

  static async start(count: number): Promise<Senders> {
    const servers = Array.from({ length: count }, () => new WebSocketServer({ host: "127.0.0.1", port: 0 }));
    await Promise.all(servers.map((server) => once(server, "listening")));
    return new Senders(servers);
  }

  urls(): string[] {
    return this.#servers.map((server) => `ws://127.0.0.1:${portOf(server)}/`);
  }
  isHeard(index: number): boolean {
    return (this.#servers[index]?.clients.size ?? 0) > 0;
  }
  get areAllHeard(): boolean {
    return this.#servers.every((_, index) => this.isHeard(index));
  }
  stop(): void {
    clearInterval(this.#timer);
    for (const server of this.#servers) {
      for (const client of server.clients) client.terminate();
      server.close();
    }
  }
}

const listed = async (api: Api) => (await api.expect(Signals, "GET", "/v1/signals?limit=50")).signals;

/** The headers of what was set aside, once there is so much of it. */
const deadLetters = async (broker: string, topicPrefix: string, count: number) => {
  const log = await openTestKafkaLog({
    brokers: [broker],
    topicPrefix,
    partitions: { readings: PARTITIONS },
  });
  try {
    return await until("the dead letters", async () => {
      const records = await allRecords(log, "dead-letters");
      return records.length >= count && records.map(({ headers }) => headers);
    });
  } finally {
    await log.close();
  }
};

describe.skipIf("missing" in stack)("two of each worker", () => {
  const workers = (): Fleet => {
    if (fleet === null) throw new Error("skipped");
    return fleet;
  };
  const connected = async () => {
    const senders = await Senders.start(SOURCES);
    onTestFinished(() => senders.stop());
    const sources: string[] = [];
    for (const [index, url] of senders.urls().entries()) {
      const source = { type: "websocket", name: `sender ${index}`, url };
      sources.push(
        (
          await workers()
            .api(index % EACH)
            .expect(WithId, "POST", "/v1/integrations/sources", source)
        ).id,
      );
    }
    onTestFinished(async () => {
      for (const id of sources) await workers().api().call("DELETE", `/v1/integrations/sources/${id}`);
    });
    await until("every source to be heard", () => senders.areAllHeard);
    return { senders, sources };
  };
  const within = async (what: string, probe: () => boolean | Promise<boolean>, maxMs = EVERYWHERE_MAX_MS) => {
    const began = performance.now();
    await until(what, probe, maxMs);
    process.stdout.write(`${what}: ${Math.round(performance.now() - began)} ms\n`);
  };

  it("takes every change made through one everywhere within two seconds", async () => {
    const { senders, sources } = await connected();
    const [one, two] = [workers().api(0), workers().api(1)];
    await until("every signal to be known", async () => (await listed(two)).length === SOURCES);
    const areAll = async (api: Api, wanted: string) =>
      (await listed(api)).every(({ status }) => status === wanted);
    const rule = { name: "weak", condition: { operator: "below", value: -40 } };
    const ruled = async () => {
      await until("no signal to be failed", () => areAll(two, "active"));
      const { id } = await one.expect(WithId, "POST", "/v1/alerts/rules", rule);
      try {
        await within("a rule", () => areAll(two, "failed"));
      } finally {
        await two.call("DELETE", `/v1/alerts/rules/${id}`);
      }
      await within("its end", () => areAll(one, "active"));
    };
    const [first] = await listed(one);
    const change = (status: string, name: string) =>
      one.call("PATCH", `/v1/signals/${first?.id}`, { status, name });
    const paused = async () => {
      await change("active", "named");
      await until("no signal to be paused", () => areAll(two, "active"));
      await change("paused", "renamed");
      await within("a pause", async () =>
        (await listed(two)).some(({ name, status }) => name === "renamed" && status === "paused"),
      );
    };
    const switched = async () => {
      await until("the source to be heard", () => senders.isHeard(0));
      await two.call("PATCH", `/v1/integrations/sources/${sources[0]}`, { enabled: false });
      await within("a source switched off", () => !senders.isHeard(0));
      await one.call("PATCH", `/v1/integrations/sources/${sources[0]}`, { enabled: true });
      await within("and on again", () => senders.isHeard(0));
    };
    // Ten processes share this machine with whatever else it does: one of three tries must be free of that.
    for (const step of [ruled, paused, switched]) await step().catch(step).catch(step);
  });

  it("takes pushes to one source at every process that serves, adds up their counts, and stores each once", async () => {
    const [one, two] = [workers().api(0), workers().api(1)];
    const source = { type: "push", name: "pushed", mapping: { signal: "$.name", strength: "$.rssi" } };
    const { id } = await one.expect(WithId, "POST", "/v1/integrations/sources", source);
    onTestFinished(async () => {
      await one.call("DELETE", `/v1/integrations/sources/${id}`);
    });
    const push = (api: Api, n: number) =>
      api.call("POST", `/v1/integrations/sources/${id}/push`, { name: "pushed", rssi: -50, level: -n });
    const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => push(n % 2 === 0 ? one : two, n)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 202));
    const counters = { messages: 40, readings: 40, skipped: 0, rejected: 0, reconnects: 0 };
    const shown = async () => (await two.expect(Pushed, "GET", `/v1/integrations/sources/${id}`)).counters;
    await until("the counts of both", async () => isDeepStrictEqual(await shown(), counters));
    const signal = (await listed(one)).find(({ name }) => name === "pushed");
    const [from, to] = [-60_000, 60_000].map((ms) => new Date(Date.now() + ms).toISOString());
    const stored = () => one.storedReadings(signal?.id ?? "", from ?? "", to ?? "");
    await until("every reading to be stored", async () => (await stored()) === 40);

    const mapping = { signal: "$.name", strength: "$.nothing" };
    await one.call("PATCH", `/v1/integrations/sources/${id}`, { mapping });
    await within("a mapping", async () => {
      const { body } = await push(two, 1);
      return z.object({ rejected: z.number() }).parse(body).rejected === 1;
    });
    await one.call("PATCH", `/v1/integrations/sources/${id}`, {
      mapping: { ...mapping, strength: "$.level" },
    });
    const retried = () => two.call("POST", `/v1/integrations/sources/${id}/rejections/retry`);
    await until("the rejection to be mended", async () => {
      const { status, body } = await retried();
      return status === 200 && z.object({ readings: z.number() }).parse(body).readings >= 1;
    });
  });

  it("evaluates and stores what other programs produce, and sets aside what is no reading", async () => {
    if ("missing" in stack) return;
    const api = workers().api();
    const rule = { name: "weak", condition: { operator: "below", value: -70 } };
    await api.expect(WithId, "POST", "/v1/alerts/rules", rule);
    const create = async (name: string) =>
      (await api.expect(Created, "POST", "/v1/signals", { name, threshold: 0 })).signals[0];
    const made = await Promise.all(["a", "b", "c"].map(create));
    const since = new Date(Date.now() - 60_000).toISOString();
    // One line a record, keyed by its signal's id: Kafka's own partitioner finds the partition.
    const lines = made.flatMap(({ id }) =>
      [-42, -80, -42].map((strength, i) => ({ key: id, value: `${id}\t${Date.now() + i}\t${strength}\n` })),
    );
    const [first] = made;
    const poison = [
      { value: "no reading at all", partition: 0 },
      { value: `${first?.id}\t123`, partition: 0 },
      { value: "?", headers: { kind: "unheard" }, partition: 1 },
      {
        value: `sig_01JDA2V3Q8R5T7W9Y1B3D5F7H9\t${Date.now()}\t-50\n`,
        key: "sig_01JDA2V3Q8R5T7W9Y1B3D5F7H9",
      },
    ];
    const kafka = new Kafka({ brokers: [stack.environment.KAFKA_BROKERS ?? ""], logLevel: logLevel.NOTHING });
    const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
    await producer.connect();
    const topic = `${stack.topicPrefix}readings`;
    await producer.send({ topic, messages: [...poison, ...lines] });
    await producer.send({ topic, messages: lines.slice(0, 1) });
    await producer.disconnect();

    const counts = () =>
      Promise.all(
        made.map(({ id }) => api.storedReadings(id, since, new Date(Date.now() + 60_000).toISOString())),
      );
    await until("every reading to be stored", async () => isDeepStrictEqual(await counts(), [4, 3, 3]));
    const expected = ["signal.created", "alert.firing", "signal.failed", "alert.resolved", "signal.updated"];
    for (const { id } of made)
      await until("the events", async () => {
        const events = await api.events({ signalId: id });
        return isDeepStrictEqual(
          events.map(({ event }) => event),
          expected,
        );
      });
    const letters = await deadLetters(
      stack.environment.KAFKA_BROKERS ?? "",
      stack.topicPrefix,
      poison.length,
    );
    expect(letters.map(({ problem }) => problem).sort()).toEqual([
      "line_not_three_fields",
      "line_not_three_fields",
      "unknown_kind",
      "unknown_signal",
    ]);
    for (const { topic: from, partition, offset } of letters)
      expect(`${from} ${partition} ${offset}`).toMatch(/^readings \d+ \d+$/);
  });

  it("starts and runs who needs no time series while ClickHouse is away", async () => {
    if ("missing" in stack) return;
    await stack.clickHouse.kill();
    try {
      for (const role of ["ingest", "evaluate", "deliver"] as const) {
        const worker = await workers().add(role);
        await until(
          `${role} to be well`,
          async () => (await fetch(`${worker.url}/health/ready`)).status === 200,
        );
        await workers().kill(worker);
      }
      const api = workers().api();
      const { status } = await api.call("GET", "/health/ready");
      expect(status).toBe(503);
    } finally {
      await stack.clickHouse.start();
    }
    await until(
      "serve to be well",
      async () => (await workers().api().call("GET", "/health/ready")).status === 200,
    );
  });

  it("moves the sources of one that dies to another within fifteen seconds", async () => {
    if ("missing" in stack) return;
    const { senders } = await connected();
    const groups = new Groups(stack, PARTITIONS);
    onTestFinished(() => groups.close());
    const shares = { ingest: EACH, evaluate: EACH, record: EACH, deliver: EACH };
    await until("sources to be shared", () => groups.areAssigned(shares).catch(() => false));
    await until("every source to be heard", () => senders.areAllHeard);
    const [victim] = workers().of("ingest");
    if (victim === undefined) throw new Error("no ingest worker");
    await workers().kill(victim);
    expect(senders.areAllHeard).toBe(false);
    await within("sources to be heard elsewhere", () => senders.areAllHeard, MOVED_MAX_MS);
    await workers().add("ingest");
  });
});
