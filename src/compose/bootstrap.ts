import { type AccountId, LIST_LIMIT_MAX, type SourceId } from "../../schemas/common.ts";
import { RuleCreate } from "../../schemas/rule.ts";
import { DEMO_RULE_NAME, DEMO_SOURCE } from "../declared/demo.ts";
import { API_KEY_BYTES, apiKeyHash, apiKeyPrefix, generateApiKey } from "../domain/api-key.ts";
import type { Entropy } from "../ports/clock.ts";
import type { Changed, ControlStore } from "../ports/control-store.ts";

const SCOPES = ["read", "write", "admin"] as const;
const KEY_SHOWN = "first_api_key";
const DEMO = "demo";
const DEMO_CONDITION = { metric: "strength", operator: "below", value: -50 };

const addKey = async (control: ControlStore, accountId: AccountId, key: string): Promise<void> => {
  const hash = apiKeyHash(key);
  if ((await control.apiKeys.findByHash(hash)) !== null) return;
  const details = { name: "first key", prefix: apiKeyPrefix(key), hash, scopes: SCOPES };
  await control.apiKeys.create(accountId, details);
};

const made = <T>(what: string, changed: Changed<T>): T => {
  if (!changed.ok) throw new Error(`the demo's ${what} was refused: ${JSON.stringify(changed)}`);
  return changed.value;
};

/** What an earlier start that was cut off has already made is found, not made again. */
const demoSource = async ({ sources }: ControlStore, accountId: AccountId): Promise<SourceId> => {
  const { items } = await sources.list(accountId, { limit: LIST_LIMIT_MAX });
  const found = items.find(({ source }) => source.settings.type === "simulator");
  return found?.source.id ?? made("source", await sources.create(accountId, DEMO_SOURCE)).id;
};

const demoRule = async ({ rules }: ControlStore, accountId: AccountId, sourceId: SourceId): Promise<void> => {
  const { items } = await rules.list(accountId, { limit: LIST_LIMIT_MAX });
  if (items.some(({ rule }) => rule.select.sourceId === sourceId)) return;
  // Each signal dips about once a minute, for ever: held back as flapping, nobody would be told of a dip any more.
  const flapDetection = false;
  const rule = { name: DEMO_RULE_NAME, select: { sourceId }, condition: DEMO_CONDITION, flapDetection };
  made("rule", await rules.create(accountId, RuleCreate.parse(rule)));
};

/** The simulated signals, and the rule that tells of their dips: at the first start only. */
const addDemo = async (control: ControlStore, accountId: AccountId, wanted: boolean): Promise<void> => {
  if ((await control.facts.get(DEMO)) !== null) return;
  if (wanted) await demoRule(control, accountId, await demoSource(control, accountId));
  await control.facts.set(DEMO, wanted ? "made" : "left out");
};

interface Bootstrap {
  readonly control: ControlStore;
  /** `BOOTSTRAP_API_KEY`: works from this start on. */
  readonly apiKey: string | undefined;
  readonly demo: boolean;
}

/** What the first start leaves behind: an account, its key if one was given, the demo. Later starts change nothing. */
export const bootstrap = async ({ control, apiKey, demo }: Bootstrap): Promise<AccountId> => {
  const { id } = await control.accounts.first();
  if (apiKey !== undefined) {
    await addKey(control, id, apiKey);
    await control.facts.set(KEY_SHOWN, "given");
  }
  await addDemo(control, id, demo);
  return id;
};

/**
 * Makes the first API key unless one was given or shown before, and has it shown. It counts as shown only afterwards:
 * a start that is cut off before leaves a key that nobody knows, and the next start makes and shows another.
 */
export const showFirstKey = async (
  control: ControlStore,
  entropy: Entropy,
  accountId: AccountId,
  show: (key: string | null) => void,
): Promise<void> => {
  if ((await control.facts.get(KEY_SHOWN)) !== null) return show(null);
  const key = generateApiKey(entropy.bytes(API_KEY_BYTES));
  await addKey(control, accountId, key);
  show(key);
  await control.facts.set(KEY_SHOWN, "shown");
};
