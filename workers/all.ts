import { useCompileCache } from "../src/compose/compile-cache.ts";

useCompileCache();
const { run } = await import("../src/compose/run.ts");
await run("all");
