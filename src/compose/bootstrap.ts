import type { AccountId } from "../../schemas/common.ts";
import { RuleCreate } from "../../schemas/rule.ts";
import { SourceCreate } from "../../schemas/source.ts";
import { API_KEY_BYTES, apiKeyHash, apiKeyPrefix, generateApiKey, isApiKey } from "../domain/api-key.ts";
import type { Entropy } from "../ports/clock.ts";
import type { Changed, ControlStore } from "../ports/control-store.ts";
import { StartError } from "./start-error.ts";

const SCOPES = ["read", "write", "admin"] as const;

interface Bootstrap {
  readonly control: ControlStore;
  readonly entropy: Entropy;
  readonly apiKey: string | undefined;
  readonly demo: boolean;
}

const addKey = async (control: ControlStore, accountId: AccountId, key: string): Promise<void> => {
  const hash = apiKeyHash(key);
  if ((await control.apiKeys.findByHash(hash)) !== null) return;
  const details = { name: "first key", prefix: apiKeyPrefix(key), hash, scopes: SCOPES };
  await control.apiKeys.create(accountId, details);
};

/** The key of `BOOTSTRAP_API_KEY`, or one made at the first start; null when an earlier start has shown it. */
const firstKey = async (
  { control, entropy, apiKey }: Bootstrap,
  accountId: AccountId,
): Promise<string | null> => {
  if (apiKey !== undefined && !isApiKey(apiKey)) {
    const usable = generateApiKey(entropy.bytes(API_KEY_BYTES));
    throw new StartError(
      `BOOTSTRAP_API_KEY is no API key: "sos_", 32 characters, and a checksum of 6.\nOne made just now that you may use: ${usable}`,
    );
  }
  if (apiKey === undefined && (await control.facts.get("first_api_key")) !== null) return null;
  const key = apiKey ?? generateApiKey(entropy.bytes(API_KEY_BYTES));
  await addKey(control, accountId, key);
  await control.facts.set("first_api_key", "made");
  return key;
};

const made = <T>(what: string, changed: Changed<T>): T => {
  if (!changed.ok) throw new Error(`the demo's ${what} was refused: ${JSON.stringify(changed)}`);
  return changed.value;
};

/** 20 simulated signals around -42 dBm that dip now and then, and the rule that tells of it: at the first start only. */
const addDemo = async ({ control, demo }: Bootstrap, accountId: AccountId): Promise<void> => {
  if ((await control.facts.get("demo")) !== null) return;
  if (demo) {
    const settings = SourceCreate.parse({ type: "simulator", name: "Demo", scenario: "outages" });
    const source = made("source", await control.sources.create(accountId, settings));
    const condition = { metric: "strength", operator: "below", value: -50 };
    const rule = { name: "Demo: below −50 dBm", select: { sourceId: source.id }, condition };
    made("rule", await control.rules.create(accountId, RuleCreate.parse(rule)));
  }
  await control.facts.set("demo", demo ? "made" : "left out");
};

/** What the first start leaves behind: an account, an API key, the demo. Later starts find it and change nothing. */
export const bootstrap = async (options: Bootstrap): Promise<{ apiKey: string | null }> => {
  const { id } = await options.control.accounts.first();
  const apiKey = await firstKey(options, id);
  await addDemo(options, id);
  return { apiKey };
};
