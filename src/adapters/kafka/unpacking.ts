import { PackedBatch } from "./packed-batch.ts";

const MIB = 2 ** 20;
/** What a batch may take in memory: of what can be packed into 2 MiB, whoever may write to the topic decides. */
export const UNPACKED_BYTES_MAX = 64 * MIB;
/** What kafkajs makes of each record beside its bytes: about so much. */
const RECORD_BYTES = 640;
const RECORDS_MAX = Math.floor(UNPACKED_BYTES_MAX / RECORD_BYTES);

/** A batch that is never unpacked, however often it is tried; `message` says why, as the end of a sentence. */
export class UnreadableBatch extends Error {
  override readonly name = "UnreadableBatch";
  /** Null where the records came on their own. */
  readonly batch: PackedBatch | null;

  constructor(reason: string, batch: PackedBatch | null, options?: ErrorOptions) {
    super(reason, options);
    this.batch = batch;
  }
}

/** kafkajs takes an error of this name for the end of an answer: what follows is asked for anew. */
class EnoughUnpacked extends Error {
  override readonly name = "KafkaJSPartialMessageError";
}

interface Answer {
  /** What was unpacked of it; one may hold thousands of small batches that each become large. */
  readonly bytes: number;
  /** Where its last batch is that is read, in bytes. */
  readonly lastAt: number;
}
const UNTOUCHED: Answer = { bytes: 0, lastAt: Number.POSITIVE_INFINITY };
const answers = new WeakMap<ArrayBufferLike, Answer>();
const answerOf = ({ buffer }: Buffer): Answer => answers.get(buffer) ?? UNTOUCHED;

/** Before an answer is read from its beginning; no batch that begins behind `last` is unpacked, if there is one. */
export const beginAnswer = (raw: Buffer, last: PackedBatch | null = null): void =>
  void answers.set(raw.buffer, { bytes: 0, lastAt: last?.recordsAt ?? UNTOUCHED.lastAt });

/** Bytes that were made of an answer since then, those of batches that were too large included. */
export const unpackedOf = (raw: Buffer): number => answerOf(raw).bytes;

const isTooLarge = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";

/**
 * The records of a batch by `unpack`, which is to throw ERR_BUFFER_TOO_LARGE above the limit. Throws UnreadableBatch
 * for one above it; what is damaged fails as `unpack` does, as it may come whole the next time.
 */
export const unpackedBy = async (
  unpack: (records: Buffer, maxOutputLength: number) => Buffer | Promise<Buffer>,
  records: Buffer,
): Promise<Buffer> => {
  const answer = answerOf(records);
  if (answer.bytes >= UNPACKED_BYTES_MAX || records.byteOffset > answer.lastAt)
    throw new EnoughUnpacked("the rest of the answer waits for its turn");
  const took = (bytes: number) => answers.set(records.buffer, { ...answer, bytes: answer.bytes + bytes });
  const batch = PackedBatch.around(records);
  const count = batch?.count ?? 0;
  if (count > RECORDS_MAX) throw new UnreadableBatch(`it holds more than ${RECORDS_MAX} records`, batch);
  try {
    const unpacked = await unpack(records, UNPACKED_BYTES_MAX);
    const extra = unpacked === records ? 0 : unpacked.length;
    took(extra + count * RECORD_BYTES);
    return unpacked;
  } catch (cause) {
    if (!isTooLarge(cause)) throw cause;
    took(UNPACKED_BYTES_MAX);
    const reason = `it unpacks to more than ${UNPACKED_BYTES_MAX / MIB} MiB`;
    throw new UnreadableBatch(reason, batch, { cause });
  }
};
