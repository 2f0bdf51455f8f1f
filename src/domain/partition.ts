const M = 0x5bd1e995;
const SEED = 0x9747b28c;

/** Murmur2 of UTF-8 bytes as Kafka's own clients compute it (org.apache.kafka.common.utils.Utils.murmur2). */
export const murmur2 = (bytes: Uint8Array): number => {
  const length = bytes.length;
  let h = SEED ^ length;
  const words = length >> 2;
  for (let i = 0; i < words; i++) {
    const at = i << 2;
    let k =
      (bytes[at] ?? 0) |
      ((bytes[at + 1] ?? 0) << 8) |
      ((bytes[at + 2] ?? 0) << 16) |
      ((bytes[at + 3] ?? 0) << 24);
    k = Math.imul(k, M);
    k ^= k >>> 24;
    k = Math.imul(k, M);
    h = Math.imul(h, M) ^ k;
  }
  const tail = words << 2;
  const left = length - tail;
  if (left >= 3) h ^= (bytes[tail + 2] ?? 0) << 16;
  if (left >= 2) h ^= (bytes[tail + 1] ?? 0) << 8;
  if (left >= 1) h = Math.imul(h ^ (bytes[tail] ?? 0), M);
  h ^= h >>> 13;
  h = Math.imul(h, M);
  return h ^ (h >>> 15);
};

const encoder = new TextEncoder();

/** The partition of a key among `partitions`, as Kafka's default partitioner places it. */
export const partitionOf = (key: string, partitions: number): number =>
  partitions === 1 ? 0 : (murmur2(encoder.encode(key)) & 0x7fffffff) % partitions;
