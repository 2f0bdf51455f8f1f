import { setFlagsFromString } from "node:v8";

/** Flags of V8: when the old heap is marked. */
export type HeapPace = readonly string[];

/**
 * At 300 % of garbage for what was alive; V8's own pace is about 190. Spends memory for evenness: the buffers of passing
 * blocks count as garbage of the heap, and at V8's own pace they have it marked about once a second at 100,000
 * readings/s, some 40 ms each time on two cores, which is the 99th percentile of what a user sees.
 */
export const MARKED_SELDOM: HeapPace = ["--heap-growing-percent=300"];

/**
 * At 100 % of garbage, buffers counted as what else is on the heap: for a process that writes to Kafka. kafkajs copies
 * what it sends into eight buffers, one larger than the other: some 100 MB/s at 250,000 readings/s. V8 has the heap
 * marked at every 64 MB of buffers, however large it is, which took a quarter of the main thread.
 */
export const MARKED_BY_ALL_MEMORY: HeapPace = [
  "--external-memory-accounted-in-global-limit",
  "--heap-growing-percent=100",
];

/** For a process's first lines, before the heap has grown, and the threads have theirs. */
export const setHeapPace = (pace: HeapPace): void => {
  for (const flag of pace) setFlagsFromString(flag);
};
