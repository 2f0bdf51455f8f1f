import { ownKafka } from "../test/support/kafka-server.ts";
import { DRAINED_SECONDS, evaluateAlone, ingestAlone, recordAlone } from "./alone.ts";
import { type Bench, type Measured, type RunOptions, rounded } from "./bench.ts";
import { FEED, LONE_UPLINKS, ONE_A_FRAME, UPLINKS } from "./feeds.ts";
import { flood, WARM_UP_SECONDS } from "./flood.ts";
import { childrenOf } from "./processes.ts";

const SECONDS = 60;
const ALONE_SECONDS = 20;

/** Null, with a word why, where there is no broker, or one whose cost is not seen here. */
const onKafka = async (seconds: number): Promise<Measured | null> => {
  const kafka = await ownKafka();
  if ("missing" in kafka) {
    console.error(`${KAFKA} is left out: ${kafka.missing}`);
    return null;
  }
  try {
    const brokers = childrenOf(process.pid).filter(({ name }) => name === "java");
    if (brokers.length === 0) {
      console.error(`${KAFKA} is left out: what a broker in a container costs is not seen from here`);
      return null;
    }
    const measured = await flood(seconds, {
      feed: FEED,
      environment: { KAFKA_BROKERS: `127.0.0.1:${kafka.ports.plain}` },
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

async function* stages({ seconds, wants }: RunOptions): AsyncGenerator<Measured> {
  const drained = seconds ?? DRAINED_SECONDS;
  if (wants("ingest alone")) yield ingestAlone(FEED, seconds ?? ALONE_SECONDS);
  if (wants("evaluate alone")) yield evaluateAlone(drained);
  if (wants("record alone")) yield recordAlone(drained);
}

const FLOODS = {
  "embedded, one a frame": ONE_A_FRAME,
  "embedded, ttn-v3 by ten gateways": UPLINKS,
  "embedded, ttn-v3 by one gateway": LONE_UPLINKS,
};
const EMBEDDED = "embedded, 100 a frame";
const KAFKA = "on Kafka, 100 a frame";

async function* round(options: RunOptions): AsyncGenerator<Measured> {
  const { seconds, wants } = options;
  const length = seconds ?? SECONDS;
  let slowest = Number.POSITIVE_INFINITY;
  let embedded = Number.POSITIVE_INFINITY;
  for await (const stage of stages(options)) {
    slowest = Math.min(slowest, perSecond(stage));
    yield stage;
  }
  if (wants(EMBEDDED)) {
    const measured = { name: EMBEDDED, ...(await flood(length, { feed: FEED })) };
    embedded = perSecond(measured);
    yield against(measured, "share of the slowest stage", slowest);
  }
  for (const [name, feed] of Object.entries(FLOODS))
    if (wants(name)) yield { name, ...(await flood(length, { feed })) };
  const measured = wants(KAFKA) ? await onKafka(length) : null;
  if (measured !== null) yield against(measured, "share of embedded", embedded);
}

export const endToEnd: Bench = {
  about:
    "Readings a second that are durable in the log, evaluated under one rule, and can be asked for in ClickHouse with " +
    "their rollups: the least of the three, while a sender beside it on the same cores sends as much as is taken. " +
    "Before it, in the same run, each stage alone. Afterwards what is stored is counted, in readings and in both " +
    "rollups, and must be what was accepted. Kafka's broker acknowledges before its disk has it, as brokers do.",
  parameters: { ...FEED, seconds: SECONDS, warmUpSeconds: WARM_UP_SECONDS, aloneSeconds: ALONE_SECONDS },
  round,
};
