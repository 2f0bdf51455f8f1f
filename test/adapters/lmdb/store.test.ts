import { open } from "lmdb";
import { expect, it, vi } from "vitest";
import { openStore } from "../../../src/adapters/lmdb/store.ts";
import { temporaryDirectory } from "../../support/directory.ts";

// The library itself, with a note of what it was asked for.
vi.mock("lmdb", { spy: true });

// No crash of a process loses what the system has: that writes go to the disk shows in nothing else that a test can see.
it("asks for an environment that syncs each transaction before it says so, and for nothing else", async () => {
  const directory = await temporaryDirectory();
  const store = await openStore(directory, 1_000_000);
  await store.close();
  // Whole: noSync, noMetaSync, mapAsync, useWritemap and the like weaken it by being there.
  expect(vi.mocked(open).mock.calls).toEqual([
    [
      {
        path: directory,
        noSubdir: false,
        encoding: "binary",
        keyEncoding: "binary",
        maxDbs: 4,
        mapSize: 64 * 2 ** 30,
        overlappingSync: false,
        eventTurnBatching: false,
      },
    ],
  ]);
});
