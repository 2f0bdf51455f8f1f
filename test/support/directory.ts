import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A new directory that is removed when the running test is over. */
export const temporaryDirectory = async (): Promise<string> => {
  const path = await mkdtemp(join(tmpdir(), "sos-"));
  onTestFinished(() => rm(path, { recursive: true, force: true, maxRetries: 5 }));
  return path;
};
