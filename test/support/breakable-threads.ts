// Loaded before the service's program, in each of its threads: SIGUSR2 breaks the thread of its record worker in the
// way that BREAK_THREAD names, as nothing outside of it could.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BroadcastChannel, isMainThread, threadName, type Worker } from "node:worker_threads";

const channel = new BroadcastChannel("break");
channel.unref();

const WAYS = new Map<unknown, () => void>([
  [
    "throw",
    () => {
      throw new Error("broken by the test");
    },
  ],
  [
    "spin",
    () => {
      for (;;);
    },
  ],
  [
    "block",
    () => {
      // Opened by nobody for writing, and so for ever.
      const pipe = join(process.env.DATA_DIR ?? tmpdir(), "pipe");
      execFileSync("mkfifo", [pipe]);
      readFileSync(pipe);
    },
  ],
]);

if (isMainThread)
  process.on("worker", (worker: Worker) => {
    if (worker.threadName !== "record") return;
    const how = process.env.BREAK_THREAD;
    process.on("SIGUSR2", () => void (how === "terminate" ? worker.terminate() : channel.postMessage(how)));
  });
else if (threadName === "record") channel.onmessage = ({ data }) => WAYS.get(data)?.();
