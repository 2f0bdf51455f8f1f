import { useCompileCache } from "../src/compose/compile-cache.ts";

useCompileCache();
const { runNamed } = await import("../src/compose/run.ts");
await runNamed(process.argv.slice(2));
