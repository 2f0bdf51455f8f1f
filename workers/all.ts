import { runAll } from "../src/compose/all.ts";

await runAll();
