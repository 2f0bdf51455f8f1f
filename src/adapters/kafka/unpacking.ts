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

/** What was unpacked of each answer; one may hold thousands of small batches that each become large. */
const unpackedBytes = new WeakMap<ArrayBufferLike, number>();

/** Before an answer is read from its beginning. */
export const beginAnswer = (raw: Buffer): void => void unpackedBytes.delete(raw.buffer);

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
  const before = unpackedBytes.get(records.buffer) ?? 0;
  if (before >= UNPACKED_BYTES_MAX) throw new EnoughUnpacked("the rest of the answer waits for its turn");
  const batch = PackedBatch.around(records);
  const count = batch?.count ?? 0;
  if (count > RECORDS_MAX) throw new UnreadableBatch(`it holds more than ${RECORDS_MAX} records`, batch);
  try {
    const unpacked = await unpack(records, UNPACKED_BYTES_MAX);
    const extra = unpacked === records ? 0 : unpacked.length;
    unpackedBytes.set(records.buffer, before + extra + count * RECORD_BYTES);
    return unpacked;
  } catch (cause) {
    if (!isTooLarge(cause)) throw cause;
    const reason = `it unpacks to more than ${UNPACKED_BYTES_MAX / MIB} MiB`;
    throw new UnreadableBatch(reason, batch, { cause });
  }
};
