import { z } from "zod";
import { RepairReport } from "./deduplication-repair.ts";

/** A socket that only the parent may enter, or a port for anybody who knows a user and its password. */
const Listen = z.union([
  z.strictObject({ path: z.string() }),
  z.strictObject({ host: z.string(), port: z.number(), user: z.string(), password: z.string() }),
]);
export type Listen = z.infer<typeof Listen>;

/** What the child is told by its arguments. */
export const ChildArguments = z.strictObject({
  directory: z.string(),
  /** For bodies of inserts while the engine reads them; emptied at the start. */
  bodies: z.string(),
  listen: Listen,
  database: z.string(),
  settings: z.record(z.string(), z.number()),
  lockWaitMs: z.number(),
});
export type ChildArguments = z.infer<typeof ChildArguments>;

/** What it answers once, when it is ready or cannot be. */
export const ChildMessage = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("ready"), repair: RepairReport }),
  z.strictObject({
    type: z.literal("failed"),
    reason: z.enum(["missing", "cannot_open"]),
    message: z.string(),
  }),
]);
export type ChildMessage = z.infer<typeof ChildMessage>;

/** What the parent says to end it in good order. */
export const STOP = "stop";
