// All workers, as workers/all.ts starts them, but of threads that are given up soon.
import { run } from "../../src/compose/run.ts";

await run("all", { downAfterMs: 1_500, endAfterMs: 6_000 });
