import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openSqliteControl } from "../../src/adapters/sqlite/open.ts";
import { systemClock, systemEntropy } from "../../src/adapters/system/clock.ts";
import { bootstrap, showFirstKey } from "../../src/compose/bootstrap.ts";
import { apiKeyHash } from "../../src/domain/api-key.ts";
import type { ControlStore } from "../../src/ports/control-store.ts";
import { temporaryDirectory } from "../support/directory.ts";
import { testTelemetry } from "../support/telemetry.ts";

const openControl = async (): Promise<ControlStore> => {
  const path = join(await temporaryDirectory(), "control.db");
  const surroundings = { clock: systemClock, entropy: systemEntropy, telemetry: testTelemetry() };
  const control = await openSqliteControl({ path, secretKey: randomBytes(32), ...surroundings });
  onTestFinished(() => control.close());
  return control;
};
const PAGE = { limit: 100 };

it("makes the demo once, also when the first start is cut off between its source and its rule", async () => {
  const control = await openControl();
  const cutOff = {
    ...control,
    rules: { ...control.rules, create: () => Promise.reject(new Error("cut off")) },
  };
  await expect(bootstrap({ control: cutOff, apiKey: undefined, demo: true })).rejects.toThrow("cut off");
  const accountId = await bootstrap({ control, apiKey: undefined, demo: true });
  await bootstrap({ control, apiKey: undefined, demo: true });
  const { items: sources } = await control.sources.list(accountId, PAGE);
  const { items: rules } = await control.rules.list(accountId, PAGE);
  expect(sources).toHaveLength(1);
  expect(rules.map(({ rule }) => rule.select.sourceId)).toEqual([sources[0]?.source.id]);
});

it("makes a rule that tells of each dip, however often they come", async () => {
  const control = await openControl();
  const accountId = await bootstrap({ control, apiKey: undefined, demo: true });
  const { items } = await control.rules.list(accountId, PAGE);
  expect(items.map(({ rule }) => rule.flapDetection)).toEqual([false]);
});

it("does not bring back a demo that was deleted, or that was left out at first", async () => {
  const control = await openControl();
  const accountId = await bootstrap({ control, apiKey: undefined, demo: false });
  await bootstrap({ control, apiKey: undefined, demo: true });
  expect((await control.sources.list(accountId, PAGE)).items).toEqual([]);
});

it("shows a working key until one was shown", async () => {
  const control = await openControl();
  const accountId = await bootstrap({ control, apiKey: undefined, demo: false });
  const failing = () => {
    throw new Error("no terminal");
  };
  await expect(showFirstKey(control, systemEntropy, accountId, failing)).rejects.toThrow("no terminal");
  const shown: (string | null)[] = [];
  for (let start = 0; start < 2; start++) {
    await showFirstKey(control, systemEntropy, accountId, (key) => shown.push(key));
  }
  expect(shown).toEqual([expect.stringMatching(/^sos_/), null]);
  const stored = await control.apiKeys.findByHash(apiKeyHash(shown[0] ?? ""));
  expect(stored?.scopes).toEqual(["read", "write", "admin"]);
});
