import type { Broker } from "kafkajs";
import { RECORD_KIND, UNREADABLE } from "../../domain/log-record.ts";
import type { Telemetry } from "../../ports/telemetry.ts";
import { type FetchedMessage, fetchedPartitions } from "./answers.ts";
import { unreadableBatches } from "./metrics.ts";
import { isStandIn, type PackedBatch } from "./packed-batch.ts";
import { beginAnswer, UNPACKED_BYTES_MAX, UnreadableBatch, unpackedOf } from "./unpacking.ts";

export type FetchRequest = Parameters<Broker["fetch"]>[0];

interface Response {
  decode(raw: Buffer): Promise<unknown>;
}
/** A request as kafkajs sends it, and how it reads the answer. */
type MakeRequest = (request: unknown) => { readonly response: Response };
type Lookup = (...definition: readonly unknown[]) => MakeRequest;

export interface Replaced {
  readonly batch: PackedBatch;
  readonly count: number;
  readonly reason: string;
}

const isLookup = (value: unknown): value is Lookup => typeof value === "function";

/**
 * Reads the answer again without each batch that cannot be unpacked: kafkajs gives up all of it for one. Once as much
 * has been unpacked for nothing as may be of one answer, it ends with the last such batch, and what follows is asked for
 * anew: while an answer is read, a member is not heard by its group.
 */
export const decodeAround = async (
  response: Response,
  raw: Buffer,
  replaced: Replaced[],
): Promise<unknown> => {
  let wasted = 0;
  beginAnswer(raw);
  for (;;) {
    try {
      return await response.decode(raw);
    } catch (error) {
      const batch = error instanceof UnreadableBatch ? error.batch : null;
      if (!(error instanceof Error) || batch === null) throw error;
      const { count } = batch;
      if (!batch.replace()) throw error;
      replaced.push({ batch, count, reason: error.message });
      wasted += unpackedOf(raw);
      beginAnswer(raw, wasted < UNPACKED_BYTES_MAX ? null : batch);
    }
  }
};

/** The broker, but for how it reads answers: kafkajs lets nobody have a batch before it is unpacked. */
const readingAround = (broker: Broker, replaced: Replaced[]): Broker => {
  const lookup: unknown = Reflect.get(broker, "lookupRequest");
  if (!isLookup(lookup)) throw new Error("kafkajs looks up its requests in another way");
  const lookupRequest: Lookup =
    (...definition) =>
    (request) => {
      const made = lookup(...definition)(request);
      const decode = (raw: Buffer) => decodeAround(made.response, raw, replaced);
      return { ...made, response: { ...made.response, decode } };
    };
  return Object.create(broker, { lookupRequest: { value: lookupRequest } });
};

const replacedBy = ({ offset, batchContext }: FetchedMessage, replaced: readonly Replaced[]) =>
  replaced.find(
    ({ batch }) =>
      batch.lastOffset === Number(offset) && batch.firstOffset === Number(batchContext.firstOffset),
  );

/**
 * As `Broker.fetch`; but in place of a batch that can never be unpacked comes one record of kind `unreadable` with its
 * last offset, which every reader passes over as it does any other unreadable record. Told by line and metric
 * `log_batch_unreadable`, each time that it is read.
 */
export const fetchAround = async (
  broker: Broker,
  request: FetchRequest,
  { log, metrics }: Telemetry,
): Promise<unknown> => {
  const replaced: Replaced[] = [];
  const answer: unknown = await readingAround(broker, replaced).fetch(request);
  if (replaced.length === 0) return answer;
  for (const { topic, partition, messages } of fetchedPartitions(answer))
    for (const message of messages) {
      const found = isStandIn(message) ? replacedBy(message, replaced) : undefined;
      if (found === undefined) continue;
      const { batch, count, reason } = found;
      const offsets = `${batch.firstOffset} to ${batch.lastOffset}`;
      const words = `A batch of ${count} records at offsets ${offsets} of partition ${partition} of topic ${topic} is passed over: ${reason}.`;
      log.error(
        { topic, partition, offset: batch.firstOffset, records: count, reason: words },
        "log_batch_unreadable",
      );
      unreadableBatches(metrics).add(1, { topic });
      message.isControlRecord = false;
      message.headers = { [RECORD_KIND]: UNREADABLE };
      message.value = Buffer.from(words);
    }
  return answer;
};
