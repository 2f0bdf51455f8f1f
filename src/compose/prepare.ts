import type { AccountId } from "../../schemas/common.ts";
import type { Config } from "../config/config.ts";
import type { ControlStore } from "../ports/control-store.ts";
import type { Surroundings } from "../ports/surroundings.ts";
import { bootstrap } from "./bootstrap.ts";
import { type Applied, applyDeclared } from "./declared/apply.ts";
import { inTurn } from "./start-lock.ts";

export interface Prepared {
  readonly accountId: AccountId;
  /** What became of CONFIG_FILE; null where none is named. */
  readonly applied: (Applied & { readonly path: string }) | null;
}

/**
 * Makes what must be there before the first request: the account, its key, the demo, and what CONFIG_FILE wants. Of
 * processes that start together one at a time does it, so that the others find it.
 */
export const prepare = (
  control: ControlStore,
  {
    BOOTSTRAP_API_KEY: apiKey,
    DEMO: demo,
    declared,
  }: Pick<Config, "BOOTSTRAP_API_KEY" | "DEMO" | "declared">,
  surroundings: Surroundings,
): Promise<Prepared> =>
  inTurn(control, surroundings, async (lost) => {
    const accountId = await bootstrap({ control, apiKey, demo });
    if (declared === null) return { accountId, applied: null };
    const applied = await applyDeclared(declared, { control, accountId, lost, ...surroundings });
    return { accountId, applied: { path: declared.path, ...applied } };
  });
