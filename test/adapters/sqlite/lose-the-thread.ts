/** Opens control data at the path given, ends the thread behind its back, and waits for ever. */
import type { Worker } from "node:worker_threads";
import { openSqliteControl } from "../../../src/adapters/sqlite/open.ts";
import { systemClock, systemEntropy } from "../../../src/adapters/system/clock.ts";
import { testTelemetry } from "../../support/telemetry.ts";

const thread = new Promise<Worker>((resolve) => process.once("worker", resolve));
const surroundings = { clock: systemClock, entropy: systemEntropy, telemetry: testTelemetry() };
await openSqliteControl({ path: process.argv[2] ?? "", secretKey: new Uint8Array(32), ...surroundings });
await (await thread).terminate();
setInterval(() => undefined, 1_000);
