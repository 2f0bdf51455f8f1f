// Run by failures.test.ts in a process whose files may not grow beyond a limit. Prints what it saw as one line of JSON.
import { openSqliteControl } from "../../../src/adapters/sqlite/open.ts";
import { systemClock, systemEntropy } from "../../../src/adapters/system/clock.ts";
import { DEFAULTS, MINE, SOURCE } from "../../conformance/control-store/examples.ts";
import { testTelemetry } from "../../support/telemetry.ts";

const [, , path = ""] = process.argv;
const store = await openSqliteControl({
  path,
  secretKey: new Uint8Array(32),
  clock: systemClock,
  entropy: systemEntropy,
  telemetry: testTelemetry(),
});
const resolve = (prefix: string, count: number) =>
  store.signals.resolve({
    accountId: MINE,
    sourceId: SOURCE,
    externalIds: Array.from({ length: count }, (_, index) => `${prefix}${index}`),
    create: true,
    defaults: DEFAULTS,
  });

const before = await resolve("before", 10);
const failure = await resolve("too much", 10_000).then(
  () => "none",
  (error: unknown) => String(error),
);
const whenFull = {
  failure,
  health: store.health().state,
  signals: (await store.signals.all(null, 100)).length,
  outbox: (await store.outbox.read(0, 100)).length,
};
const after = await resolve("after", 10);
const whenRoom = {
  health: store.health().state,
  signals: (await store.signals.all(null, 100)).length,
  outbox: (await store.outbox.read(0, 100)).length,
};
await store.close();
process.stdout.write(`${JSON.stringify({ whenFull, whenRoom, made: before.length + after.length })}\n`);
