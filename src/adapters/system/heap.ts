import { setFlagsFromString } from "node:v8";

/** Garbage that may gather before the old heap is marked again, in percent of what was alive; V8's own pace was about 190. */
const GARBAGE_PERCENT = 300;

/**
 * Spends memory for evenness. The buffers of passing blocks count as garbage of the heap: at V8's own pace they have it
 * marked about once a second at 100,000 readings/s, some 40 ms each time on two cores, which is the 99th percentile of
 * what a user sees. For the process's first lines, before the heap has grown.
 */
export const markHeapSeldom = (): void => setFlagsFromString(`--heap-growing-percent=${GARBAGE_PERCENT}`);
