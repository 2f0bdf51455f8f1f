import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { MARKED_BY_ALL_MEMORY } from "../../../src/adapters/system/heap.ts";

/** Those of the other pace are among them. */
const FLAGS = MARKED_BY_ALL_MEMORY;

// One that it does not know it passes over.
test("V8 knows the flags by which it is told when to mark the heap", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ["--v8-options"], { maxBuffer: 2 ** 24 });
  const known = FLAGS.filter((flag) => stdout.includes(`  ${flag.replace(/=.*$/, "")} (`));
  expect(known).toEqual(FLAGS);
});
