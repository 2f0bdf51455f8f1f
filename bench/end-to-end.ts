import { ownKafka } from "../test/support/kafka-server.ts";
import { DRAINED_SECONDS, evaluateAlone, ingestAlone, recordAlone } from "./alone.ts";
import { type Bench, type Measured, type RunOptions, rounded, wait } from "./bench.ts";
import { FEED, ONE_A_FRAME, UPLINKS } from "./feeds.ts";
import { childrenOf } from "./processes.ts";
import { Subject, type SubjectOptions } from "./subject.ts";

const SECONDS = 60;
const ALONE_SECONDS = 20;
const WARM_UP_SECONDS = 10;

/** What passes all stages while a sender sends as much as is taken. */
const flood = async (name: string, seconds: number, options: SubjectOptions): Promise<Measured> => {
  const subject = await Subject.start(options);
  try {
    await subject.pace(null);
    await wait(WARM_UP_SECONDS);
    return { name, ...(await subject.flow(seconds)) };
  } finally {
    await subject.end();
  }
};

const onKafka = async (seconds: number): Promise<Measured> => {
  const kafka = await ownKafka();
  if ("missing" in kafka) throw new Error(`Kafka needs a broker: ${kafka.missing}`);
  try {
    const brokers = childrenOf(process.pid).filter(({ name }) => name === "java");
    return await flood("on Kafka, 100 a frame", seconds, {
      feed: FEED,
      environment: { KAFKA_BROKERS: `127.0.0.1:${kafka.ports.plain}` },
      beside: { Kafka: brokers.map(({ pid }) => pid) },
    });
  } finally {
    await kafka.remove();
  }
};

const perSecond = ({ figures }: Measured): number => figures["readings/s"] ?? 0;

async function* round({ seconds }: RunOptions): AsyncGenerator<Measured> {
  const length = seconds ?? SECONDS;
  const alone = seconds ?? ALONE_SECONDS;
  let slowest = Number.POSITIVE_INFINITY;
  const drained = seconds ?? DRAINED_SECONDS;
  const stages = [() => ingestAlone(FEED, alone), () => evaluateAlone(drained), () => recordAlone(drained)];
  for (const stage of stages) {
    const measured = await stage();
    slowest = Math.min(slowest, perSecond(measured));
    yield measured;
  }
  const embedded = await flood("embedded, 100 a frame", length, { feed: FEED });
  const share = (measured: Measured, of: number) => rounded(perSecond(measured) / of, 2);
  yield {
    ...embedded,
    figures: { ...embedded.figures, "share of the slowest stage": share(embedded, slowest) },
  };
  yield flood("embedded, one a frame", length, { feed: ONE_A_FRAME });
  yield flood("embedded, ttn-v3 by ten gateways", length, { feed: UPLINKS });
  const kafka = await onKafka(length);
  const ofEmbedded = { "share of embedded": share(kafka, perSecond(embedded)) };
  yield { ...kafka, figures: { ...kafka.figures, ...ofEmbedded } };
}

export const endToEnd: Bench = {
  about:
    "Readings a second that are durable in the log, evaluated under one rule, and can be asked for in ClickHouse with " +
    "their rollups: the least of the three, while a sender beside it on the same cores sends as much as is taken. " +
    "Before it, in the same run, each stage alone.",
  parameters: { ...FEED, seconds: SECONDS, warmUpSeconds: WARM_UP_SECONDS, aloneSeconds: ALONE_SECONDS },
  round,
};
