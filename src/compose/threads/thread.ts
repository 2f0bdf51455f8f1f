/** The entry point of a worker's thread: see worker-threads.ts. */
import { parentPort, threadName } from "node:worker_threads";
import { keepCompiled, useCompileCache } from "../compile-cache.ts";

useCompileCache();
const { serveThread } = await import("./serve-thread.ts");
if (parentPort === null || threadName === null)
  throw new Error("thread.ts is started by worker-threads.ts, as a thread");
serveThread(parentPort, threadName, keepCompiled);
