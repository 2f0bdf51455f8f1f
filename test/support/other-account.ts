import { z } from "zod";
import type { AccountId } from "../../schemas/common.ts";
import { systemEntropy } from "../../src/adapters/system/clock.ts";
import { apiKeyHash, apiKeyPrefix, generateApiKey } from "../../src/domain/api-key.ts";
import { ulid } from "../../src/domain/ids.ts";
import type { TestEngines } from "./serve.ts";

/** A key of every scope that belongs to an account of its own. */
export const keyOfAnother = async ({ control }: Pick<TestEngines, "control">): Promise<string> => {
  const key = generateApiKey(systemEntropy.bytes(32));
  await control.apiKeys.create(z.custom<AccountId>().parse(`acc_${ulid(0, systemEntropy.bytes(10))}`), {
    name: "another",
    prefix: apiKeyPrefix(key),
    hash: apiKeyHash(key),
    scopes: ["read", "write", "admin"],
  });
  return key;
};
