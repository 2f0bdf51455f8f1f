import { execFileSync } from "node:child_process";
import { cpus, totalmem } from "node:os";

const commit = (): string => {
  try {
    return execFileSync("git", ["describe", "--always", "--dirty"], { encoding: "utf8" }).trim();
  } catch {
    return "unknown";
  }
};

/** What a figure was measured on. */
export const machine = () => ({
  cpu: cpus()[0]?.model.trim() ?? "unknown",
  cores: cpus().length,
  memoryGib: Math.round(totalmem() / 1024 ** 3),
  node: process.version,
  commit: commit(),
});
