import { AccountId, RuleId, SignalId } from "../schemas/common.ts";
import { Rule, RuleCreate } from "../schemas/rule.ts";
import { ulid } from "../src/domain/ids.ts";

/** When everything here was made, Unix ms. */
export const MADE_AT_MS = Date.UTC(2026, 0, 1);

const numbered = (of: number): string => {
  const bytes = new Uint8Array(10);
  new DataView(bytes.buffer).setUint32(6, of);
  return ulid(MADE_AT_MS, bytes);
};
export const ACCOUNT = AccountId.parse(`acc_${numbered(1)}`);
export const signalId = (of: number) => SignalId.parse(`sig_${numbered(of)}`);

/** Half of them compare with dBm, half with quality; every third waits. */
export const ruleOf = (of: number): Rule =>
  Rule.parse({
    ...RuleCreate.parse({
      name: `rule ${of}`,
      condition:
        of % 2 === 0
          ? { operator: "below", value: -90 - of }
          : { metric: "quality", operator: "below", value: 0.1 - of / 1_000 },
      forSeconds: of % 3 === 0 ? 30 : 0,
    }),
    id: RuleId.parse(`rul_${numbered(of)}`),
    createdAt: new Date(MADE_AT_MS).toISOString(),
    updatedAt: new Date(MADE_AT_MS).toISOString(),
  });

export const signalOf = (of: number) => ({
  id: signalId(of),
  accountId: ACCOUNT,
  revision: 1,
  name: `signal ${of}`,
  externalId: `device-${of}`,
  labels: {},
  threshold: 0.05,
  floorDbm: -100,
  ceilingDbm: -50,
  hysteresis: 0.05,
  noDataAfterSeconds: 300,
  paused: false,
  sourceId: null,
  createdAt: MADE_AT_MS,
  updatedAt: MADE_AT_MS,
});
