import { run } from "../src/compose/run.ts";

await run("all");
