import { runMoving } from "../src/compose/moving/run-moving.ts";

await runMoving("import", process.argv.slice(2));
