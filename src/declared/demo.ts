import { SourceCreate } from "../../schemas/source.ts";
import type { Kind } from "./file.ts";

/** 20 simulated signals around -42 dBm that dip now and then, which the first start adds unless `DEMO=false`. */
export const DEMO_SOURCE = SourceCreate.parse({ type: "simulator", name: "Demo", scenario: "outages" });
/** Watches them. */
export const DEMO_RULE_NAME = "Demo: below −50 dBm";

/** Whether something is what the first start has added: nobody remembers having made it. */
export const isDemo = (kind: Kind, item: Readonly<Record<string, unknown>>): boolean =>
  (kind === "sources" && item.type === DEMO_SOURCE.type && item.name === DEMO_SOURCE.name) ||
  (kind === "rules" && item.name === DEMO_RULE_NAME);
