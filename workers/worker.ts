import { runNamed } from "../src/compose/run.ts";

await runNamed(process.argv.slice(2));
