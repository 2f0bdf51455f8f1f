import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { Api } from "../test/support/api.ts";
import { ownKafka } from "../test/support/kafka-server.ts";
import { newApiKey, Service } from "../test/support/service-process.ts";
import { usage } from "./cpu.ts";

const RUNS = 2;
const WARM_UP_SECONDS = 8;
const SECONDS = 20;
/** More than anything takes: the sender waits for the service. */
const PARAMETERS = {
  signals: 1_000,
  readingsPerFrame: 100,
  readingsPerSecond: 10_000_000,
  dipsPerSecond: 0,
};
const Port = z.object({ port: z.number() });
const WithId = z.object({ id: z.string() });

/** How a reading goes: durable in the log, evaluated, in ClickHouse. */
const STAGES = {
  accepted: /^ingest_readings_total (\d+)$/m,
  evaluated: /^evaluate_readings_total (\d+)$/m,
  recorded: /^record_rows_total\{topic="readings"\} (\d+)$/m,
};

const counts = async (api: Api) => {
  const text = String((await api.call("GET", "/metrics")).body);
  const count = (pattern: RegExp) => Number(pattern.exec(text)?.[1] ?? 0);
  return {
    accepted: count(STAGES.accepted),
    evaluated: count(STAGES.evaluated),
    recorded: count(STAGES.recorded),
  };
};

const wait = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1_000));

/** Readings per second at each stage while a sender sends as much as is taken. */
const measure = async (environment: Readonly<Record<string, string>>) => {
  const directory = await mkdtemp(join(tmpdir(), "sos-bench-"));
  const key = newApiKey();
  const service = new Service({
    dataDirectory: directory,
    apiKey: key,
    environment: { DEMO: "false", ...environment },
  });
  const generator = fork(new URL("./generator.ts", import.meta.url), [JSON.stringify(PARAMETERS)]);
  try {
    const [said] = await once(generator, "message");
    const api = new Api(await service.ready(), key);
    const url = `ws://127.0.0.1:${Port.parse(said).port}/`;
    await api.expect(WithId, "POST", "/v1/integrations/sources", { type: "websocket", name: "bench", url });
    await wait(WARM_UP_SECONDS);
    const [before, busyBefore, from] = [await counts(api), usage(service.pid), performance.now()];
    await wait(SECONDS);
    const [after, busyAfter] = [await counts(api), usage(service.pid)];
    const seconds = (performance.now() - from) / 1_000;
    const perSecond = (stage: keyof typeof STAGES) => Math.round((after[stage] - before[stage]) / seconds);
    const millions = (after.accepted - before.accepted) / 1e6;
    return {
      acceptedPerSecond: perSecond("accepted"),
      evaluatedPerSecond: perSecond("evaluated"),
      recordedPerSecond: perSecond("recorded"),
      cpuSecondsPerMillion: {
        service: Number(((busyAfter.mainCpuSeconds - busyBefore.mainCpuSeconds) / millions).toFixed(2)),
        timeSeries: Number(((busyAfter.childCpuSeconds - busyBefore.childCpuSeconds) / millions).toFixed(2)),
      },
      rssAnonMib: { service: busyAfter.mainMib, timeSeries: busyAfter.childMib },
    };
  } finally {
    generator.kill("SIGKILL");
    await service.end("SIGKILL");
    await rm(directory, { recursive: true, force: true });
  }
};

const onKafka = async () => {
  const kafka = await ownKafka();
  if ("missing" in kafka) throw new Error(`throughput on Kafka needs a broker: ${kafka.missing}`);
  try {
    return await measure({ KAFKA_BROKERS: `127.0.0.1:${kafka.ports.plain}` });
  } finally {
    await kafka.remove();
  }
};

/** What goes through, with the event log embedded and, in turn, on a Kafka broker beside it; the rest embedded. */
export const throughput = async () => {
  const runs = [];
  for (let run = 1; run <= RUNS; run++) {
    for (const [log, result] of [
      ["embedded", await measure({})],
      ["Kafka", await onKafka()],
    ] as const) {
      const { acceptedPerSecond, evaluatedPerSecond, recordedPerSecond, cpuSecondsPerMillion } = result;
      process.stdout.write(
        `throughput ${run}/${RUNS}, log ${log.padEnd(8)}: ${acceptedPerSecond} readings/s accepted, ` +
          `${evaluatedPerSecond} evaluated, ${recordedPerSecond} recorded; CPU s per million ` +
          `${cpuSecondsPerMillion.service} + ${cpuSecondsPerMillion.timeSeries}\n`,
      );
      runs.push({ log, ...result });
    }
  }
  return { parameters: { ...PARAMETERS, seconds: SECONDS }, runs };
};
