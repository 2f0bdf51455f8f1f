import { writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { UnfinishedRuns } from "../../bench/unfinished.ts";
import { temporaryDirectory } from "../support/directory.ts";

test("whole runs of a bench are found again by the same program, until they are kept", async () => {
  const directory = pathToFileURL(`${await temporaryDirectory()}/`);
  const own = new UnfinishedRuns("scale", "one", directory);
  expect(await own.read()).toEqual([]);
  const runs = [
    [
      { name: "1000 signals", figures: { "readings/s": 5, lag: Number.NaN } },
      { name: "a course", figures: {}, detail: [1, 2] },
    ],
  ];
  await own.write(runs);
  expect(await own.read()).toEqual(runs);
  expect(await new UnfinishedRuns("scale", "another", directory).read()).toEqual([]);
  expect(await new UnfinishedRuns("recovery", "one", directory).read()).toEqual([]);
  await writeFile(new URL("recovery.json", directory), '{"program":"one","runs":[[{"name":1}]]}');
  expect(await new UnfinishedRuns("recovery", "one", directory).read()).toEqual([]);
  await own.forget();
  expect(await own.read()).toEqual([]);
});
