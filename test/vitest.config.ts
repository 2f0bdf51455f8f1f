import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: new URL("..", import.meta.url).pathname,
    include: ["test/**/*.test.ts"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Real engines: each file may start processes of its own, and the machine may have two cores.
    maxWorkers: 2,
    reporters: ["default"],
  },
});
