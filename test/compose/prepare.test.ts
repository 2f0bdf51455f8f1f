import { expect, it, onTestFinished } from "vitest";
import { systemClock, systemEntropy } from "../../src/adapters/system/clock.ts";
import { prepare } from "../../src/compose/prepare.ts";
import { readDeclaredFile } from "../../src/config/declared.ts";
import { newSchema, openTestControl, postgresUrl } from "../support/postgres.ts";
import { testTelemetry } from "../support/telemetry.ts";

const url = await postgresUrl();
const FILE = `
signals: [{ name: Roof, threshold: 0.4 }]
sources: [{ name: uplinks, type: push }]
rules: [{ name: weak, condition: { operator: below, value: -75 } }]
webhooks: [{ name: pager, url: "https://pager.example/hook", events: [signal.failed] }]
`;

it("makes what CONFIG_FILE wants once, where several processes start together", async () => {
  const database = await newSchema(url);
  const { declared } = readDeclaredFile({ CONFIG_FILE: "signals.yaml" }, () => FILE);
  const settings = { BOOTSTRAP_API_KEY: undefined, DEMO: false, declared };
  const stores = [await openTestControl({ url: database }), await openTestControl({ url: database })];
  onTestFinished(async () => void (await Promise.all(stores.map((store) => store.close()))));
  const surroundings = { clock: systemClock, entropy: systemEntropy, telemetry: testTelemetry() };
  const prepared = await Promise.all(stores.map((control) => prepare(control, settings, surroundings)));
  expect(prepared.map(({ applied }) => applied?.created).sort()).toEqual([0, 4]);

  const [first] = prepared;
  const [control] = stores;
  if (first === undefined || control === undefined) return expect.fail();
  const page = { limit: 100 };
  const lists = [
    await control.signals.list(first.accountId, { ...page, sort: "name" }),
    await control.sources.list(first.accountId, page),
    await control.rules.list(first.accountId, page),
    await control.webhooks.list(first.accountId, page),
  ];
  expect(lists.map(({ items }) => items.length)).toEqual([1, 1, 1, 1]);
});
