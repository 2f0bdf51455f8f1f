import { execFileSync } from "node:child_process";
import { cpus, loadavg, totalmem } from "node:os";

const commit = (): string => {
  try {
    return execFileSync("git", ["describe", "--always", "--dirty"], { encoding: "utf8" }).trim();
  } catch {
    return "unknown";
  }
};

/** What a figure was measured on; the load over the last minute tells of others beside the bench. */
export const machine = () => ({
  cpu: cpus()[0]?.model.trim() ?? "unknown",
  cores: cpus().length,
  memoryGib: Math.round(totalmem() / 1024 ** 3),
  node: process.version,
  loadAverage: Number(loadavg()[0]?.toFixed(1)),
  commit: commit(),
});
