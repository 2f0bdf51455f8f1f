import { promisify } from "node:util";
import { constants, gunzip, gzip, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import kafkajs from "kafkajs";
import { PackedBatch } from "./packed-batch.ts";
import { UnreadableBatch, unpackedBy } from "./unpacking.ts";

/** What kafkajs wants of a codec; `buffer` is what it gathers records in. */
interface Codec {
  compress(records: { readonly buffer: Buffer }): Promise<Buffer>;
  decompress(records: Buffer): Promise<Buffer>;
}

const { CompressionCodecs, CompressionTypes } = kafkajs;

/** Smaller ones cost more to compress than to copy and to sum. */
const BATCH_BYTES_MIN = 4 * 1_024;
/** A quick level that makes blocks of readings a quarter as large: 0.06 µs a reading; level 1 takes twice that for a seventh. */
const LEVEL = { params: { [constants.ZSTD_c_compressionLevel]: -7 } };

const unzip = promisify(gunzip);

/** Not by a thread of libuv: a batch takes well under a millisecond, and less than the way there and back. */
const ZSTD: Codec = {
  compress: async ({ buffer }) => zstdCompressSync(buffer, LEVEL),
  decompress: (records) =>
    unpackedBy((packed, maxOutputLength) => zstdDecompressSync(packed, { maxOutputLength }), records),
};
/** kafkajs's own has no limit. */
const GZIP: Codec = {
  compress: ({ buffer }) => promisify(gzip)(buffer),
  decompress: (records) =>
    unpackedBy((packed, maxOutputLength) => unzip(packed, { maxOutputLength }), records),
};
/** For the limit alone, which stands for the number of records too. */
const NONE: Pick<Codec, "decompress"> = {
  decompress: (records) => unpackedBy((plain) => plain, records),
};
/** By codecs that Node does not have: on a topic that is set as ours are, no broker keeps such a batch. */
const foreign = (name: string): Pick<Codec, "decompress"> => ({
  decompress: async (records) => {
    throw new UnreadableBatch(`it is packed by ${name}, which is not read here`, PackedBatch.around(records));
  },
});

Object.assign(CompressionCodecs, {
  [CompressionTypes.None]: () => NONE,
  [CompressionTypes.GZIP]: () => GZIP,
  [CompressionTypes.Snappy]: () => foreign("snappy"),
  [CompressionTypes.LZ4]: () => foreign("lz4"),
  [CompressionTypes.ZSTD]: () => ZSTD,
});

/**
 * How kafkajs is to send batches of so many bytes together. It copies what it sends eight times, and sums it up byte by
 * byte (CRC-32C) in JavaScript: what is compressed costs half as much to send. On the brokers' disks records are as the
 * topic's `compression.type` has them.
 */
export const compressionFor = (bytes: number, batches: number): kafkajs.CompressionTypes =>
  bytes >= batches * BATCH_BYTES_MIN ? CompressionTypes.ZSTD : CompressionTypes.None;
