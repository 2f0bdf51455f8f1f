import { openSqliteControl } from "../../../src/adapters/sqlite/open.ts";
import { systemClock, systemEntropy } from "../../../src/adapters/system/clock.ts";
import { aSignal, DEFAULTS, MINE, SOURCE } from "../../conformance/control-store/examples.ts";
import { testTelemetry } from "../../support/telemetry.ts";

// Changes signals as fast as it can until it is killed, and writes a line `id revision` for each change that it was
// told is done (revision 0: deleted). Arguments: the database file.
const [, , path = ""] = process.argv;
const { signals } = await openSqliteControl({
  path,
  secretKey: new Uint8Array(32).fill(1),
  clock: systemClock,
  entropy: systemEntropy,
  telemetry: testTelemetry(),
});

const acknowledge = (id: string, revision: number) => process.stdout.write(`${id} ${revision}\n`);

const change = async (round: number): Promise<void> => {
  const created = await signals.create(MINE, aSignal({ labels: { round: String(round) } }));
  if (!created.ok) throw new Error(created.reason);
  const { id } = created.value.definition;
  acknowledge(id, 1);
  for (let revision = 2; revision < 2 + (round % 3); revision++) {
    await signals.update(MINE, id, { name: `name ${revision}`, labels: { revision: String(revision) } });
    acknowledge(id, revision);
  }
  if (round % 4 > 0) return;
  await signals.remove(MINE, id);
  acknowledge(id, 0);
};

const resolve = async (lane: number, round: number): Promise<void> => {
  const externalIds = Array.from({ length: 60 }, (_, index) => `${process.pid}/${lane}/${round}/${index}`);
  const request = { accountId: MINE, sourceId: SOURCE, externalIds, create: true, defaults: DEFAULTS };
  for (const { definition } of await signals.resolve(request)) acknowledge(definition.id, 1);
};

const lane = async (number: number): Promise<never> => {
  for (let round = 0; ; round++) await (round % 5 === 4 ? resolve(number, round) : change(round));
};
await Promise.all([0, 1, 2].map(lane));
