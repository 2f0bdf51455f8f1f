import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { connection } from "./connection.ts";
import { UsageError } from "./context.ts";
import { runProgram } from "./program.ts";
import { terminal } from "./terminal.ts";

const { stdin, stdout: out, stderr: err, env: environment, argv } = process;
const stop = new AbortController();
// A second Ctrl-C ends the process as ever.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
// `signals tail | head` ends with head.
out.on("error", () => stop.abort());

const read = async (path: string): Promise<string> => {
  try {
    return path === "-" ? await text(stdin) : await readFile(path, "utf8");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${path} cannot be read: ${reason}`, "Check its path and its rights.");
  }
};

process.exitCode = await runProgram(
  argv.slice(2),
  {
    terminal: terminal(out, err, environment),
    environment,
    stop: stop.signal,
    client: () => connection(environment),
    read,
  },
  { out, err },
);
