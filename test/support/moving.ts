import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { inherited } from "./inherited.ts";

const entry = (command: string): string => new URL(`../../workers/${command}.ts`, import.meta.url).pathname;

export interface Moved {
  /** Null after a kill. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** `npm run export` or `import` as a user runs it, killed (-9) as soon as it has printed `killAt`. */
export const move = async (
  command: "export" | "import",
  archive: string,
  environment: Readonly<Record<string, string>>,
  killAt?: RegExp,
): Promise<Moved> => {
  const child: ChildProcess = spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", entry(command), archive],
    {
      env: { ...inherited, ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let [stdout, stderr] = ["", ""];
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    if (killAt?.test(stdout)) child.kill("SIGKILL");
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    if (process.env.TEST_LOG) process.stderr.write(text);
  });
  await once(child, "close");
  return { code: child.exitCode, stdout, stderr };
};
