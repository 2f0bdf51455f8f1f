import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Bytes that are really held, after all garbage has been collected. */
export const heldBytes = async (): Promise<number> => {
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  // What backs a buffer is let go one turn after the buffer.
  for (let turn = 0; turn < 3; turn++) {
    collect();
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};
