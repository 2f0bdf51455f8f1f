import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const PROGRAM = `
import { getPriority } from "node:os";
import { beNicer } from ${JSON.stringify(new URL("../../../src/adapters/system/niceness.ts", import.meta.url))};
const told = [0, 3, 4, 20].map((by) => {
  beNicer(by);
  return getPriority(0);
});
console.log(told.join(" "));
`;

// Less nice than it was begun, no program may be that has no rights for it.
test.runIf(process.platform === "linux")("what is to be nicer is so from where it was begun", async () => {
  const words = ["-n", "5", process.execPath, "--input-type=module", "-e", PROGRAM];
  const { stdout } = await promisify(execFile)("nice", words);
  expect(stdout).toBe("5 8 12 19\n");
});
