import { z } from "zod";

/** What a person may do in an account. */
export const Role = z
  .enum(["owner", "editor", "viewer"])
  .describe("`viewer` looks, `editor` changes, `owner` does everything, people and keys included.");
export type Role = z.infer<typeof Role>;
