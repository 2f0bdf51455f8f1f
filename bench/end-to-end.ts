import { ownKafkaProcess } from "../test/support/kafka-server.ts";
import { DRAINED_SECONDS, evaluateAlone, ingestAlone, recordAlone } from "./alone.ts";
import { type Bench, type Measured, type RunOptions, rounded } from "./bench.ts";
import { FEED, FEEDS } from "./feeds.ts";
import { flood, WARM_UP_SECONDS } from "./flood.ts";
import { childrenOf } from "./processes.ts";

const SECONDS = 60;
const ALONE_SECONDS = 20;
const KAFKA = "on Kafka, 100 a frame";
const KAFKA_PARTITIONS = 12;

const lacks = async (): Promise<string | null> => {
  const kafka = await ownKafkaProcess();
  if ("missing" in kafka) return kafka.missing;
  await kafka.remove();
  return null;
};

/** Null, with a word why, where there is no broker. */
const onKafka = async (seconds: number): Promise<Measured | null> => {
  const kafka = await ownKafkaProcess();
  if ("missing" in kafka) {
    console.error(`${KAFKA} is left out: ${kafka.missing}`);
    return null;
  }
  try {
    const brokers = childrenOf(process.pid).filter(({ name }) => name === "java");
    const measured = await flood(seconds, {
      feed: FEED,
      environment: {
        KAFKA_BROKERS: `127.0.0.1:${kafka.ports.plain}`,
        PARTITIONS: String(KAFKA_PARTITIONS),
      },
      beside: { Kafka: brokers.map(({ pid }) => pid) },
    });
    return { name: KAFKA, ...measured };
  } finally {
    await kafka.remove();
  }
};

const perSecond = ({ figures }: Measured): number => figures["readings/s"] ?? 0;
/** The same with how much it is of another's; of nothing where that was not measured. */
const against = (measured: Measured, figure: string, of: number): Measured =>
  Number.isFinite(of)
    ? { ...measured, figures: { ...measured.figures, [figure]: rounded(perSecond(measured) / of, 2) } }
    : measured;

async function* round(options: RunOptions): AsyncGenerator<Measured> {
  const { seconds, wants } = options;
  const [length, drained] = [seconds ?? SECONDS, seconds ?? DRAINED_SECONDS];
  const alone = new Map<string, number>();
  const noted = (key: string, name: string, measured: Measured): Measured => {
    alone.set(key, perSecond(measured));
    return { ...measured, name };
  };
  /** NaN unless all were measured. */
  const slowest = (feed: string) =>
    Math.min(...[feed, "evaluate", "record"].map((stage) => alone.get(stage) ?? Number.NaN));
  for (const [feed, sent] of Object.entries(FEEDS)) {
    const name = `ingest alone, ${feed}`;
    if (wants(name)) yield noted(feed, name, await ingestAlone(sent, seconds ?? ALONE_SECONDS));
  }
  // What they read is the same whatever was sent.
  if (wants("evaluate alone")) yield noted("evaluate", "evaluate alone", await evaluateAlone(drained));
  if (wants("record alone")) yield noted("record", "record alone", await recordAlone(drained));
  let embedded = Number.NaN;
  for (const [feed, sent] of Object.entries(FEEDS)) {
    const name = `embedded, ${feed}`;
    if (!wants(name)) continue;
    const measured = { name, ...(await flood(length, { feed: sent })) };
    if (sent === FEED) embedded = perSecond(measured);
    yield against(measured, "share of the slowest stage", slowest(feed));
  }
  const measured = wants(KAFKA) ? await onKafka(length) : null;
  if (measured !== null) yield against(measured, "share of embedded", embedded);
}

export const endToEnd: Bench = {
  about:
    "Readings a second that are durable in the log, evaluated under one rule, and can be asked for in ClickHouse with " +
    "their rollups: the least of the three, while a sender beside it on the same cores sends as much as is taken. " +
    "Before it, in the same run, each stage alone, ingest with what is sent then. Afterwards what is stored is counted, in readings and in both " +
    "rollups, and must be what was accepted. Kafka's broker acknowledges before its disk has it, as brokers do.",
  parameters: {
    feeds: FEEDS,
    sources: 1,
    rules: 1,
    seconds: SECONDS,
    warmUpSeconds: WARM_UP_SECONDS,
    aloneSeconds: ALONE_SECONDS,
    partitions: { embedded: 1, Kafka: KAFKA_PARTITIONS },
  },
  round,
  lacks,
};
