import { defineConfig } from "vitest/config";
import { COMPILE_CACHE } from "./support/inherited.ts";

// Every file's own process has it from here.
process.env.NODE_COMPILE_CACHE ??= COMPILE_CACHE;

export default defineConfig({
  test: {
    root: new URL("..", import.meta.url).pathname,
    include: ["test/**/*.test.ts"],
    // Ends what hangs; how fast something is, is for the benches to say.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Real engines: each file may start processes of its own, and the machine may have two cores.
    maxWorkers: 2,
    reporters: ["default"],
  },
});
