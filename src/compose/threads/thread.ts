/** The entry point of a worker's thread: see worker-threads.ts. */
import { parentPort, threadName } from "node:worker_threads";
import { keepCompiled } from "../compile-cache.ts";
import { PIPELINE } from "../pipeline.ts";
import { serveThread } from "./serve-thread.ts";

const name = PIPELINE.find((one) => one === threadName);
if (parentPort === null || name === undefined)
  throw new Error("thread.ts is started by worker-threads.ts, as a thread that has a worker's name");
serveThread(parentPort, name, keepCompiled);
