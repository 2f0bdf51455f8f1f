import { defineConfig } from "vitest/config";
import { COMPILE_CACHE } from "./support/inherited.ts";
import { LongestFirst } from "./support/longest-first.ts";

// Every file's own process has it from here.
process.env.NODE_COMPILE_CACHE ??= COMPILE_CACHE;

/** Tests that start, kill and freeze processes, and those that weigh or change their own: nothing is to be left for the next. */
const ALONE = [
  "test/{adapters,compose,conformance,deploy,e2e}/**/*.test.ts",
  "test/deliver/endpoints.test.ts",
  "test/ingest/waiting-readings.test.ts",
  "test/outgoing/{connection-pool,webhook-sender-dial}.test.ts",
  "test/serve/readings-zone.test.ts",
];

export default defineConfig({
  test: {
    root: new URL("..", import.meta.url).pathname,
    // Ends what hangs; how fast something is, is for the benches to say, and machines are slow at times.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // Real engines: each file may start processes of its own, and waits for them more than it works.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    reporters: ["default"],
    // What differs is told whole where there is room for a message alone.
    chaiConfig: { truncateThreshold: 2000 },
    projects: [
      { extends: true, test: { name: "alone", include: ALONE } },
      // One process after the other reads the program's modules once, and not for every file.
      {
        extends: true,
        test: { name: "together", include: ["test/**/*.test.ts"], exclude: ALONE, isolate: false },
      },
    ],
  },
});
