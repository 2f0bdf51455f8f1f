import { runMoving } from "../src/compose/moving/run-moving.ts";

await runMoving("export", process.argv.slice(2));
